import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { Provider, Translation } from "../../call/provider.ts";
import { buildMessagesRequest } from "./build-request.ts";
import { anthropicHeaders } from "./client-headers.ts";
import { messagesTokenCounting } from "./count-tokens.ts";
import { traitsOf } from "./model-traits.ts";
import { nativeMessages } from "./native-messages.ts";
import { prepareAnthropic } from "./prepare-anthropic.ts";
import { readMessagesAnswer } from "./read-answer.ts";
import { readMessagesFailure } from "./read-failure.ts";
import { anthropicFields } from "./request-fields.ts";
import { MessagesStreamReader } from "./stream-reader.ts";

const params = [
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "service_tier",
  "user",
  "safety_identifier",
] as const;

/** Chat completions over the Anthropic Messages API. */
const chat: Translation<ChatRequest> = {
  supportedParams: supportedChatParams,
  buildRequest: buildMessagesRequest,
  readAnswer: readMessagesAnswer,
  readStream: (call) => new MessagesStreamReader(call),
};

/** Anthropic, and other upstreams that implement its API. */
export const anthropic: Provider = {
  name: "anthropic",
  defaultApiBase: "https://api.anthropic.com",
  apiKeyVariable: "ANTHROPIC_API_KEY",
  translations: { "chat.completions": chat, messages: nativeMessages },
  prepare: prepareAnthropic,
  requestFields: anthropicFields,
  requestHeaders: anthropicHeaders,
  outputLimitParam: "max_tokens",
  readFailure: readMessagesFailure,
  tokenCounting: messagesTokenCounting,
};

function supportedChatParams(model: string): readonly string[] {
  const { takesSampling, thinking } = traitsOf(model);
  return [
    ...params,
    ...(takesSampling ? ["temperature", "top_p"] : []),
    ...(thinking === "none" ? [] : ["reasoning_effort", "thinking"]),
  ];
}
