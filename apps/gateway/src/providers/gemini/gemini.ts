import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { Provider, Translation } from "../../call/provider.ts";
import { type AuthHeader, prepareTarget } from "../build-request.ts";
import { buildChatRequest } from "./build-chat-request.ts";
import { tokenCounting } from "./count-tokens.ts";
import { embeddingTranslation } from "./embeddings.ts";
import { readChatAnswer } from "./read-chat-answer.ts";
import { readGeminiFailure } from "./read-failure.ts";
import { googleFields } from "./request-fields.ts";
import { GeminiStreamReader } from "./stream-reader.ts";
import { supportedChatParams } from "./supported-params.ts";

const chat: Translation<ChatRequest> = {
  supportedParams: supportedChatParams,
  buildRequest: buildChatRequest,
  readAnswer: readChatAnswer,
  readStream: (call) => new GeminiStreamReader(call),
};

/** Returns the API key header. The key is never part of a URL, because URLs appear in logs. */
const apiKeyHeader: AuthHeader = (secret) => ["x-goog-api-key", secret];

/** Google's Gemini API in its own format. */
export const gemini: Provider = {
  name: "gemini",
  defaultApiBase: "https://generativelanguage.googleapis.com/v1beta",
  apiKeyVariable: "GEMINI_API_KEY",
  otherKeyVariables: ["GOOGLE_API_KEY"],
  translations: { "chat.completions": chat, embeddings: embeddingTranslation },
  prepare: ({ upstreamModel, apiKey }) => prepareTarget(upstreamModel, apiKey, apiKeyHeader),
  requestFields: googleFields,
  outputLimitParam: "max_tokens",
  readFailure: readGeminiFailure,
  tokenCounting,
};
