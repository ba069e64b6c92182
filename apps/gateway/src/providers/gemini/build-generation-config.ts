import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { readResponseFormat } from "../read-response-format.ts";
import { buildThinkingConfig } from "./build-thinking.ts";
import { fitSchema } from "./fit-schema.ts";
import type { GeminiTraits } from "./gemini-traits.ts";

/**
 * Builds the generation settings. `outputLimit` is the gateway's output limit, which overrides the limit in the
 * request.
 */
export function buildGenerationConfig(
  request: ChatRequest,
  outputLimit: number | null,
  traits: GeminiTraits,
): Record<string, unknown> {
  const config: Record<string, unknown> = {
    temperature: request.temperature,
    topP: request.top_p,
    topK: (request as { readonly top_k?: unknown }).top_k,
    maxOutputTokens: outputLimit ?? request.max_completion_tokens ?? request.max_tokens,
    stopSequences: typeof request.stop === "string" ? [request.stop] : request.stop,
    candidateCount: request.n,
    seed: request.seed,
    presencePenalty: request.presence_penalty,
    frequencyPenalty: request.frequency_penalty,
    responseLogprobs: request.logprobs,
    logprobs: request.top_logprobs,
    responseModalities: request.modalities?.map((modality) => modality.toUpperCase()),
    speechConfig: speechConfigOf(request.audio),
    thinkingConfig: buildThinkingConfig(request, traits),
    ...responseForm(request.response_format),
  };
  for (const name of Object.keys(config)) if (config[name] == null) delete config[name];
  return config;
}

/**
 * Returns the response format settings. Every current model accepts a JSON schema, so the older schema format isn't
 * needed.
 */
function responseForm(format: ChatRequest["response_format"]): Record<string, unknown> {
  const asked = readResponseFormat(format);
  if (asked.kind === "text") return {};
  return { responseMimeType: "application/json", responseJsonSchema: fitSchema(asked.schema) };
}

function speechConfigOf(audio: ChatRequest["audio"]): object | null {
  const voice = (audio as { readonly voice?: unknown } | null | undefined)?.voice;
  return typeof voice === "string" ? { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } } : null;
}
