import { MessageErrorResponse } from "@tollgate/contracts/messages/message-response.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** The refusals every inference operation can give, in the words of Anthropic's interface. */
export const messageFailures: Readonly<Record<number, AnswerDescription>> = Object.fromEntries(
  Object.entries(inferenceFailures).map(([status, { description }]) => [
    status,
    { description, schema: MessageErrorResponse },
  ]),
);
