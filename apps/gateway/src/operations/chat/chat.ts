import { ChatRequest, ChatRequestForModel, openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import { countInput } from "../../pipeline/account/count-input.ts";
import { countAnswer } from "../../tokens/count-answer.ts";
import { estimatedUsage, type OperationKind } from "../operation-kind.ts";
import { checkChatRequest } from "./check-chat-request.ts";
import { estimatePartTokens } from "./estimate-part-tokens.ts";

/** Chat completions, the most common operation. */
export const chat: OperationKind<ChatRequest> = {
  name: "chat.completions",
  fields: {
    required: ["messages", "thinking"],
    params: openaiChatParams,
    settled: new Set([
      "model",
      "messages",
      "stream",
      "stream_options",
      "n",
      "max_tokens",
      "max_completion_tokens",
      "service_tier",
    ]),
  },
  writesText: true,
  schema: ChatRequest,
  schemaForModel: ChatRequestForModel,
  check: checkChatRequest,
  weighParts: estimatePartTokens,
  formOf: (request) => (request.stream === true ? "events" : "whole"),
  wantsUsage: (request) => request.stream === true && request.stream_options?.include_usage === true,
  boundUsage: () => null,
  countUsage: (call, deployment, answer, outputTokens) =>
    estimatedUsage(countInput(call, deployment), answer === null ? outputTokens : countAnswer(answer)),
};
