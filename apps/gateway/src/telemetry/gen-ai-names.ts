import type { OperationName } from "../call/operation-traits.ts";

/**
 * Names from OpenTelemetry's conventions for generative AI, as in @opentelemetry/semantic-conventions 1.45.0. The
 * conventions are still in development, so the names are copied here and updated deliberately.
 */
export const genAi = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  /** Name of the `provider` attribute through version 1.36 of the conventions. */
  formerProvider: "gen_ai.system",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",
  metrics: {
    tokenUsage: "gen_ai.client.token.usage",
    duration: "gen_ai.client.operation.duration",
    firstChunk: "gen_ai.client.operation.time_to_first_chunk",
  },
} as const;

export const ERROR_TYPE = "error.type";
export const HTTP_STATUS = "http.response.status_code";
export const COST_USD = "gw.cost_usd";
export const QUEUE_SECONDS = "gw.queue_seconds";

/** Span attributes whose value can have a fraction. */
export const fractionAttributes: readonly string[] = [genAi.firstChunk, COST_USD, QUEUE_SECONDS];

/** Operation names from OpenTelemetry's conventions, which don't name every operation. */
export const genAiOperations: Readonly<Record<OperationName, string>> = {
  "chat.completions": "chat",
  completions: "text_completion",
  embeddings: "embeddings",
  messages: "chat",
  responses: "chat",
  "images.generations": "generate_content",
  moderations: "moderation",
  "audio.speech": "speech",
  "audio.transcriptions": "transcription",
  rerank: "rerank",
};

/** Provider names in OpenTelemetry's conventions that differ from Tollgate's names. */
const providers: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  azure_ai: "azure.ai.inference",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  vertex_ai: "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** Returns the provider's name according to OpenTelemetry's conventions. */
export function genAiProvider(name: string): string {
  return providers[name] ?? name;
}
