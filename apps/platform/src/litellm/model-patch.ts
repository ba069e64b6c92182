import {
  type ModelInfoInput,
  type ModelParamsInput,
  NewModelRequest,
  UpdateModelRequest,
} from "@tollgate/contracts/administration/model-management.ts";
import type { ModelType } from "@tollgate/db/catalog/models.ts";
import { invalid, readUsdPrice, refuseUnknown } from "./read-fields.ts";

/** Requested fields of a model in the database. */
export interface ModelPatch {
  /** Model name that callers use. */
  readonly groupName?: string;
  readonly provider?: string;
  readonly upstreamModel?: string;
  readonly apiBase?: string | null;
  /** API key, which is encrypted before it is stored and never returned. */
  readonly apiKey?: string;
  /** Provider on the platform whose URL and credential the model uses. */
  readonly credentialName?: string;
  readonly type?: ModelType;
  readonly maxInputTokens?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Prices in pico-USD per token, second, character, or image. */
  readonly prices?: ModelPricePatch;
}

export interface ModelPricePatch {
  readonly input?: bigint | null;
  readonly output?: bigint | null;
  readonly cacheRead?: bigint | null;
  readonly perImage?: bigint | null;
  readonly perSecond?: bigint | null;
  readonly perCharacter?: bigint | null;
}

const knownParams = NewModelRequest.properties.litellm_params.properties;
const knownInfo = UpdateModelRequest.properties.model_info.properties;

const typesByMode: Readonly<Record<string, ModelType>> = {
  chat: "chat",
  completion: "completion",
  embedding: "embedding",
  image_generation: "image",
  audio_speech: "speech",
  audio_transcription: "transcription",
  moderation: "moderation",
  rerank: "rerank",
};

/** Parses a model patch. */
export function readModelPatch(body: NewModelRequest | UpdateModelRequest): ModelPatch {
  refuseUnknown(body, NewModelRequest.properties);
  const params = body.litellm_params ?? {};
  const info = body.model_info ?? {};
  refuseUnknown(params, knownParams);
  refuseUnknown(info, knownInfo, ["db_model"]);
  const settings = readParams(params);
  const prices = readPrices(params);
  return {
    ...(typeof body.model_name === "string" && { groupName: body.model_name }),
    ...readTarget(params),
    ...readInfo(info),
    ...(Object.keys(settings).length > 0 && { params: settings }),
    ...(Object.keys(prices).length > 0 && { prices }),
  };
}

function readTarget({ model, custom_llm_provider, api_key, api_base, litellm_credential_name }: ModelParamsInput) {
  const named = model === undefined ? {} : splitModel(model, custom_llm_provider ?? null);
  return {
    ...named,
    ...(api_base !== undefined && { apiBase: api_base }),
    ...(typeof api_key === "string" && { apiKey: readSecret(api_key) }),
    ...(typeof litellm_credential_name === "string" && { credentialName: litellm_credential_name }),
  };
}

function splitModel(
  model: string,
  custom: string | null,
): { readonly provider: string; readonly upstreamModel: string } {
  const slash = model.indexOf("/");
  if (custom !== null) {
    const upstreamModel = model.startsWith(`${custom}/`) ? model.slice(custom.length + 1) : model;
    return { provider: custom, upstreamModel };
  }
  if (slash <= 0 || slash === model.length - 1) {
    throw invalid("litellm_params.model", "must be <provider>/<upstream model>, such as openai/gpt-4o.");
  }
  return { provider: model.slice(0, slash), upstreamModel: model.slice(slash + 1) };
}

/**
 * Rejects environment variable references, because the reference itself would be stored and sent to the provider as the
 * credential.
 */
function readSecret(text: string): string {
  if (!text.startsWith("os.environ/")) return text;
  throw invalid(
    "litellm_params.api_key",
    "cannot refer to an environment variable outside a settings file. Send the API key itself.",
  );
}

function readParams(params: ModelParamsInput): Record<string, unknown> {
  const { rpm, tpm, timeout, stream_timeout, drop_params, additional_drop_params } = params;
  const { allowed_params, allowed_headers, unknown_params } = params;
  const sent = {
    rpm,
    tpm,
    timeoutSeconds: timeout,
    streamTimeoutSeconds: stream_timeout,
    dropParams: drop_params,
    additionalDropParams: additional_drop_params,
    allowedParams: allowed_params,
    allowedHeaders: allowed_headers,
    unknownParams: unknown_params,
  };
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
}

function readInfo({ mode, max_tokens, max_input_tokens, max_output_tokens }: ModelInfoInput) {
  const output = max_output_tokens ?? max_tokens;
  return {
    ...(typeof mode === "string" && { type: readType(mode) }),
    ...(max_input_tokens !== undefined && { maxInputTokens: max_input_tokens }),
    ...(output !== undefined && { maxOutputTokens: output }),
  };
}

function readType(mode: string): ModelType {
  const type = typesByMode[mode];
  if (type !== undefined) return type;
  throw invalid("model_info.mode", `must be one of ${Object.keys(typesByMode).join(", ")}.`);
}

function readPrices(params: ModelParamsInput): ModelPricePatch {
  const sent = {
    input: ["input_cost_per_token", params.input_cost_per_token],
    output: ["output_cost_per_token", params.output_cost_per_token],
    cacheRead: ["cache_read_input_token_cost", params.cache_read_input_token_cost],
    perImage: ["output_cost_per_image", params.output_cost_per_image],
    perSecond: ["input_cost_per_second", params.input_cost_per_second],
    perCharacter: ["input_cost_per_character", params.input_cost_per_character],
  } as const;
  return Object.fromEntries(
    Object.entries(sent)
      .filter(([, [, value]]) => value !== undefined)
      .map(([name, [field, value]]) => [
        name,
        value === null || value === undefined ? null : readUsdPrice(`litellm_params.${field}`, value),
      ]),
  );
}
