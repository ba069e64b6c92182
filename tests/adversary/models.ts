import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { WEBHOOK_SECRET } from "../chaos/stage/tollgate.ts";

/** A model as the settings file configures it and as the upstream bills it. */
export interface Model {
  /** Value of `litellm_params.model`. */
  readonly model: string;
  /** List price; null to use the catalog's price for the deployment's own model name. */
  readonly price: Price | null;
  /** Additional lines for `litellm_params`. */
  readonly params?: readonly string[];
  /** Value of `model_info.mode`. */
  readonly mode?: string;
  /** Value of `model_info.max_input_tokens`. */
  readonly window?: number;
}

const REASONING = tokenPrice(1_000_000n, 10_000_000n);
const CHEAP = tokenPrice(10_000n, 100_000n);

/** All of the stage's model groups. Each group has one deployment, so that cases don't affect each other. */
export const MODELS = {
  // These models are not in the catalog, so the gateway must keep reading after a disconnect.
  mind: { model: "hosted_vllm/mind", price: REASONING },
  "claude-mind": { model: "anthropic/claude-mind", price: REASONING },
  "responses-mind": { model: "openai/responses-mind", price: REASONING, mode: "responses" },
  // These models have a known context window.
  "window-mind": { model: "hosted_vllm/window-mind", price: REASONING, window: 400_000 },
  "window-claude": { model: "anthropic/window-claude", price: REASONING, window: 400_000 },
  "window-responses": { model: "openai/window-responses", price: REASONING, mode: "responses", window: 400_000 },
  // Calls to these models are aborted when the client disconnects.
  "abort-plain": { model: "hosted_vllm/abort-plain", price: REASONING, params: ["on_disconnect: abort"] },
  "abort-claude": { model: "anthropic/abort-claude", price: REASONING, params: ["on_disconnect: abort"] },
  // The total timeout of this model's calls is two seconds.
  hurried: { model: "hosted_vllm/hurried", price: REASONING, params: ["timeout: 2", "stream_timeout: 2"] },
  expensive: { model: "hosted_vllm/expensive", price: tokenPrice(10_000_000n, 100_000_000n) },
  // Calls to this model fail on purpose, so its low price keeps the operator's loss small.
  cheap: { model: "hosted_vllm/cheap", price: CHEAP },
  // An organization without credit can use this model.
  free: { model: "hosted_vllm/free", price: tokenPrice(0n, 0n) },
  repriced: { model: "hosted_vllm/repriced", price: REASONING },
  aggregator: { model: "openrouter/anthropic/claude-3-haiku", price: null },
  ears: {
    model: "openai_compatible/ears",
    price: tokenPrice(0n, 0n, { perSecond: 100_000_000n }),
    mode: "audio_transcription",
  },
} as const satisfies Record<string, Model>;

export type ModelName = keyof typeof MODELS;

/** Returns the upstream's price for the requested model, or for the model that the response names. */
export function listPrice(upstreamModel: string, changed: Partial<Record<ModelName, Price>> = {}): Price {
  const name = (Object.keys(MODELS) as ModelName[]).find(
    (each) => withoutProvider(MODELS[each].model) === upstreamModel,
  );
  const price = name === undefined ? null : (changed[name] ?? MODELS[name].price);
  return price ?? catalogPrice(upstreamModel);
}

function catalogPrice(upstreamModel: string): Price {
  const known = loadCatalog().find([`openrouter/${upstreamModel}`, upstreamModel]);
  const price = known === undefined ? null : priceOfModel(known);
  if (price === null) throw new Error(`no list price is known for ${upstreamModel}`);
  return price;
}

/**
 * Returns the whole settings file. `changed` replaces prices before a reload, and `general` is an additional setting in
 * `general_settings`.
 */
export function writeSettings(
  upstreamUrl: string,
  changed: Partial<Record<ModelName, Price>> = {},
  general = "",
): string {
  const entries = (Object.keys(MODELS) as ModelName[]).flatMap((name) => writeEntry(name, upstreamUrl, changed));
  return [
    "model_list:",
    ...entries,
    // `admission`, `overdraft`, and `maxHold` keep their defaults, because the suite attacks the default settings.
    `billing: { provider: fake, stripe: { webhookSecrets: [${WEBHOOK_SECRET}] } }`,
    "auth: { adminTotp: optional }",
    "limits: { requestsPerMinute: 1000000, unauthenticatedRequestsPerMinute: 1000000, signUpsPerHour: 100000, loginsPerMinute: 100000 }",
    "router_settings: { num_retries: 0, disable_cooldowns: true }",
    "gw_settings: { cache: true, cache_params: { type: memory, mode: default_off } }",
    `general_settings: { global_max_parallel_requests: 1000, require_auth_for_metrics: false${general === "" ? "" : `, ${general}`} }`,
    "",
  ].join("\n");
}

function writeEntry(name: ModelName, url: string, changed: Partial<Record<ModelName, Price>>): string[] {
  const { model, price: listed, params = [], mode, window }: Model = MODELS[name];
  const price = changed[name] ?? listed;
  const base = model.startsWith("anthropic/") ? url : `${url}/v1`;
  const lines = [`model: ${model}`, `api_base: ${base}`, "api_key: none", ...(price === null ? [] : priceLines(price))];
  return [
    `  - model_name: ${name}`,
    "    litellm_params:",
    ...[...lines, ...params].map((line) => `      ${line}`),
    ...(mode === undefined && window === undefined ? [] : ["    model_info:"]),
    ...(mode === undefined ? [] : [`      mode: ${mode}`]),
    ...(window === undefined ? [] : [`      max_input_tokens: ${window}`]),
  ];
}

function priceLines({ input, output, perSecond }: Price): string[] {
  if (perSecond !== null) return [`input_cost_per_second: ${toUsd(perSecond)}`];
  return [`input_cost_per_token: ${toUsd(input)}`, `output_cost_per_token: ${toUsd(output)}`];
}

const withoutProvider = (model: string): string => model.slice(model.indexOf("/") + 1);

/** Converts pico-USD to an exact decimal in USD. */
const toUsd = (pico: bigint): string => `0.${pico.toString().padStart(12, "0")}`;
