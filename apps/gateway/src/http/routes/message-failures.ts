import { MessageErrorResponse } from "@tollgate/contracts/messages/message-response.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Failures that every inference operation can return, in Anthropic's error format. */
export const messageFailures: Readonly<Record<number, AnswerDescription>> = Object.fromEntries(
  Object.entries(inferenceFailures).map(([status, { description }]) => [
    status,
    { description, schema: MessageErrorResponse },
  ]),
);
