import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { PreparedTarget, Provider, TargetSettings, Translation } from "../../call/provider.ts";
import { messageFields } from "../anthropic/request-fields.ts";
import { bearer, prepareTarget } from "../build-request.ts";
import { unpricedEverywhere } from "../compile-fields.ts";
import { listsOf } from "../openai/request-fields.ts";
import { buildChatRequest } from "./build-chat-request.ts";
import { embeddingTranslation } from "./embeddings.ts";
import { readChatAnswer } from "./read-chat-answer.ts";
import { readCohereFailure } from "./read-failure.ts";
import { cohereFields } from "./request-fields.ts";
import { rerankTranslation } from "./rerank.ts";
import { CohereStreamReader } from "./stream-reader.ts";
import { supportedChatParams } from "./supported-params.ts";

const VERSION = "/v2";

const chat: Translation<ChatRequest> = {
  supportedParams: supportedChatParams,
  buildRequest: buildChatRequest,
  readAnswer: readChatAnswer,
  readStream: (call) => new CohereStreamReader(call),
};

/** Cohere's own API, version 2. */
export const cohere: Provider = {
  name: "cohere",
  defaultApiBase: "https://api.cohere.com",
  apiKeyVariable: "COHERE_API_KEY",
  otherKeyVariables: ["CO_API_KEY"],
  translations: { "chat.completions": chat, embeddings: embeddingTranslation, rerank: rerankTranslation },
  prepare: prepareCohere,
  requestFields: (operation) =>
    operation === "messages" ? [unpricedEverywhere, messageFields] : listsOf(operation, cohereFields),
  outputLimitParam: "max_tokens",
  readFailure: readCohereFailure,
};

/** Cohere under the name that LiteLLM configurations use for its chat models. */
export const cohereChat: Provider = { ...cohere, name: "cohere_chat" };

function prepareCohere({ upstreamModel, apiBase, apiKey }: TargetSettings): PreparedTarget {
  const prepared = prepareTarget(upstreamModel, apiKey, bearer);
  const hasVersion = apiBase?.replace(/\/+$/, "").endsWith(VERSION) === true;
  return hasVersion ? prepared : { ...prepared, path: { prefix: VERSION, suffix: "" } };
}
