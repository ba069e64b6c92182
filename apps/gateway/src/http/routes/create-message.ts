import { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { MessageEvent, MessageResponse } from "@tollgate/contracts/messages/message-response.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { messages } from "../../operations/messages/messages.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { messageFailures } from "./message-failures.ts";

/** Creates messages with the Anthropic-compatible API, for any model. */
export const createMessage = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, messages, {
    ...inferenceRules,
    id: "createAnthropicMessage",
    summary: "Create a message",
    tag: "messages",
    paths: versionedPaths("/messages"),
    bodyLimitBytes: 50 * 1024 * 1024,
    body: MessageRequest,
    answers: {
      200: {
        description: "The model's response. Streamed as named events if `stream` is true.",
        schema: MessageResponse,
        streamed: MessageEvent,
      },
      ...messageFailures,
    },
  });
