import { ChatRequest, ChatRequestForModel } from "@tollgate/contracts/chat/chat-request.ts";
import { ChatChunk, ChatResponse } from "@tollgate/contracts/chat/chat-response.ts";
import { modelPaths } from "@tollgate/contracts/operations.ts";
import { chat } from "../../operations/chat/chat.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Creates chat completions. */
export const chatCompletions = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, chat, {
    ...inferenceRules,
    id: "createChatCompletion",
    summary: "Create a chat completion",
    tag: "chat",
    paths: modelPaths("/chat/completions"),
    bodyLimitBytes: 50 * 1024 * 1024,
    body: ChatRequest,
    bodyUnderModelPath: ChatRequestForModel,
    answers: {
      200: {
        description: "The model's response. Streamed if `stream` is true.",
        schema: ChatResponse,
        streamed: ChatChunk,
      },
      ...inferenceFailures,
    },
  });
