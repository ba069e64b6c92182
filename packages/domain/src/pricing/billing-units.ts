/** A kind of work that calls are billed for. */
interface BillingUnitRow {
  /** Counter in `Usage`, in usage events, and in SQL's `event_units`. */
  readonly name: string;
  /** Column of the counter in `usage_events` and `lost_attempts`. */
  readonly column: string;
  /** Price in `Price`, in price versions, and in price books. */
  readonly price: string;
  /** Column of the price in `price_versions`. */
  readonly priceColumn: string;
  /** Token prices have tiers and defaults, which `priceCall` applies. A counted unit costs its count times its price. */
  readonly kind: "token" | "counted";
  /** The counter that includes this counter; null if the units don't overlap. */
  readonly partOf: "inputTokens" | "outputTokens" | "cacheWriteTokens" | null;
  /** Number of counts per price: 1,000 for audio, which is counted in milliseconds and priced by the second. */
  readonly countsPerPrice: 1 | 1_000;
  /** First version of usage records that has the counter. Version 4 added operator losses and no unit. */
  readonly since: number;
  /**
   * Flags that announce the counter in closing records and checkpoints of the journal, from version 3 on. Counters of
   * one version share their flags and are written together.
   */
  readonly recordFlags: { readonly closing: number; readonly checkpoint: number } | null;
  /** Model modes that count the unit, for counted units. Other modes ignore its price. */
  readonly modes: readonly string[];
  /** True if a price for this unit can be a model's only price. False for fees on top of tokens. */
  readonly canBeOnlyPrice: boolean;
  /** Price settings in `tollgate.yaml`, with their descriptions. The first one that is set applies. */
  readonly settings: Readonly<Record<string, string>>;
  /** Line in the cost breakdown of a call. */
  readonly costLine: string;
  /** Label and chart color of this line in the console. */
  readonly label: string;
  readonly chartPart: "input" | "cached" | "output" | "other";
  /** Meaning of the counter, for the reference. */
  readonly description: string;
}

/**
 * Every billing unit, in the order of the counters in usage records. Types, prices, queries, schemas, settings, and the
 * reference are derived from this table, generated from it, or checked against it. Counters don't overlap, so a cached
 * token is counted once, as cached. The exceptions have `partOf`, because providers price these units separately but
 * report them inside other counters.
 */
export const billingUnits = [
  {
    name: "inputTokens",
    column: "input_tokens",
    price: "input",
    priceColumn: "input_pico",
    kind: "token",
    partOf: null,
    countsPerPrice: 1,
    since: 1,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { input_cost_per_token: "Price per input token" },
    costLine: "input",
    label: "Input",
    chartPart: "input",
    description: "Input tokens that were neither read from nor written to the provider's cache",
  },
  {
    name: "cacheReadTokens",
    column: "cache_read_tokens",
    price: "cacheRead",
    priceColumn: "cache_read_pico",
    kind: "token",
    partOf: null,
    countsPerPrice: 1,
    since: 1,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { cache_read_input_token_cost: "Price per input token read from the provider's cache" },
    costLine: "cached_input",
    label: "Cached input",
    chartPart: "cached",
    description: "Input tokens that were read from the provider's cache",
  },
  {
    name: "cacheWriteTokens",
    column: "cache_write_tokens",
    price: "cacheWrite",
    priceColumn: "cache_write_pico",
    kind: "token",
    partOf: null,
    countsPerPrice: 1,
    since: 1,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { cache_creation_input_token_cost: "Price per input token written to the provider's cache" },
    costLine: "cache_write",
    label: "Cache write",
    chartPart: "other",
    description: "Input tokens that were written to the provider's cache",
  },
  {
    name: "outputTokens",
    column: "output_tokens",
    price: "output",
    priceColumn: "output_pico",
    kind: "token",
    partOf: null,
    countsPerPrice: 1,
    since: 1,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { output_cost_per_token: "Price per output token" },
    costLine: "output",
    label: "Output",
    chartPart: "output",
    description: "All output tokens",
  },
  {
    name: "reasoningTokens",
    column: "reasoning_tokens",
    price: "reasoning",
    priceColumn: "reasoning_pico",
    kind: "token",
    partOf: "outputTokens",
    countsPerPrice: 1,
    since: 1,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { output_cost_per_reasoning_token: "Price per reasoning token" },
    costLine: "reasoning",
    label: "Reasoning",
    chartPart: "output",
    description: "Reasoning tokens",
  },
  {
    name: "audioInputTokens",
    column: "audio_input_tokens",
    price: "audioInput",
    priceColumn: "audio_input_pico",
    kind: "token",
    partOf: "inputTokens",
    countsPerPrice: 1,
    since: 2,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { input_cost_per_audio_token: "Price per audio input token" },
    costLine: "audio_input",
    label: "Audio input",
    chartPart: "input",
    description: "Audio input tokens",
  },
  {
    name: "audioOutputTokens",
    column: "audio_output_tokens",
    price: "audioOutput",
    priceColumn: "audio_output_pico",
    kind: "token",
    partOf: "outputTokens",
    countsPerPrice: 1,
    since: 2,
    recordFlags: null,
    modes: [],
    canBeOnlyPrice: false,
    settings: { output_cost_per_audio_token: "Price per audio output token" },
    costLine: "audio_output",
    label: "Audio output",
    chartPart: "output",
    description: "Audio output tokens, which don't overlap with reasoning tokens",
  },
  {
    name: "characters",
    column: "characters",
    price: "perCharacter",
    priceColumn: "per_character_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 2,
    recordFlags: null,
    modes: ["audio_speech"],
    canBeOnlyPrice: true,
    settings: { input_cost_per_character: "Price per input character" },
    costLine: "character",
    label: "Characters",
    chartPart: "other",
    description: "Input characters for speech",
  },
  {
    name: "audioMs",
    column: "audio_ms",
    price: "perSecond",
    priceColumn: "per_second_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1_000,
    since: 2,
    recordFlags: null,
    modes: ["audio_speech", "audio_transcription"],
    canBeOnlyPrice: true,
    settings: {
      input_cost_per_second: "Price per second of input",
      output_cost_per_second: "Price per second of output",
    },
    costLine: "audio_second",
    label: "Audio seconds",
    chartPart: "other",
    description: "Milliseconds of transcribed or generated audio",
  },
  {
    name: "images",
    column: "images",
    price: "perImage",
    priceColumn: "per_image_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 2,
    recordFlags: null,
    modes: ["image_generation"],
    canBeOnlyPrice: true,
    settings: { output_cost_per_image: "Price per image" },
    costLine: "image",
    label: "Images",
    chartPart: "other",
    description: "Generated images",
  },
  {
    name: "searches",
    column: "searches",
    price: "perSearch",
    priceColumn: "per_search_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 3,
    recordFlags: { closing: 8, checkpoint: 128 },
    modes: ["rerank"],
    canBeOnlyPrice: true,
    settings: { input_cost_per_query: "Price per search unit, as defined by the provider" },
    costLine: "search",
    label: "Searches",
    chartPart: "other",
    description: "Rerank search units, as billed by the provider",
  },
  {
    name: "requestFees",
    column: "request_fees",
    price: "perRequest",
    priceColumn: "per_request_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 5,
    recordFlags: { closing: 64, checkpoint: 32 },
    modes: [
      "audio_speech",
      "audio_transcription",
      "chat",
      "completion",
      "embedding",
      "image_generation",
      "moderation",
      "rerank",
      "responses",
    ],
    canBeOnlyPrice: false,
    settings: { input_cost_per_request: "Fee per request, in addition to tokens" },
    costLine: "request",
    label: "Request fee",
    chartPart: "other",
    description: "Requests to a model with a fee per request: 0 or 1",
  },
  {
    name: "webSearches",
    column: "web_searches",
    price: "perWebSearch",
    priceColumn: "per_web_search_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 5,
    recordFlags: { closing: 64, checkpoint: 32 },
    modes: ["chat", "completion", "responses"],
    canBeOnlyPrice: false,
    settings: { web_search_cost_per_query: "Price per web search that the provider runs" },
    costLine: "web_search",
    label: "Web searches",
    chartPart: "other",
    description: "Web searches that the provider ran, as the provider counts them",
  },
  {
    name: "fileSearches",
    column: "file_searches",
    price: "perFileSearch",
    priceColumn: "per_file_search_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 5,
    recordFlags: { closing: 64, checkpoint: 32 },
    modes: ["chat", "completion", "responses"],
    canBeOnlyPrice: false,
    settings: { file_search_cost_per_call: "Price per file search that the provider runs" },
    costLine: "file_search",
    label: "File searches",
    chartPart: "other",
    description: "File searches that the provider ran",
  },
  {
    name: "codeSessions",
    column: "code_sessions",
    price: "perCodeSession",
    priceColumn: "per_code_session_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 5,
    recordFlags: { closing: 64, checkpoint: 32 },
    modes: ["chat", "completion", "responses"],
    canBeOnlyPrice: false,
    settings: { code_interpreter_cost_per_session: "Price per session in which the provider runs code" },
    costLine: "code_session",
    label: "Code sessions",
    chartPart: "other",
    description: "Sessions in which the provider ran code",
  },
  {
    name: "toolCalls",
    column: "tool_calls",
    price: "perToolCall",
    priceColumn: "per_tool_call_pico",
    kind: "counted",
    partOf: null,
    countsPerPrice: 1,
    since: 5,
    recordFlags: { closing: 64, checkpoint: 32 },
    modes: ["chat", "completion", "responses"],
    canBeOnlyPrice: false,
    settings: { tool_cost_per_call: "Price per call of any other tool that the provider runs and bills per call" },
    costLine: "tool_call",
    label: "Tool calls",
    chartPart: "other",
    description: "Calls of other tools that the provider ran and bills per call",
  },
  {
    name: "longCacheWriteTokens",
    column: "long_cache_write_tokens",
    price: "longCacheWrite",
    priceColumn: "long_cache_write_pico",
    kind: "token",
    partOf: "cacheWriteTokens",
    countsPerPrice: 1,
    since: 5,
    recordFlags: { closing: 64, checkpoint: 32 },
    modes: [],
    canBeOnlyPrice: false,
    settings: {
      cache_creation_input_token_cost_above_1hr: "Price per input token written to the provider's cache for one hour",
    },
    costLine: "long_cache_write",
    label: "One-hour cache write",
    chartPart: "other",
    description: "Input tokens that were written to the provider's cache for one hour",
  },
] as const satisfies readonly BillingUnitRow[];

export type BillingUnit = (typeof billingUnits)[number];
export type CountedUnit = Extract<BillingUnit, { kind: "counted" }>;
export type TokenUnit = Extract<BillingUnit, { kind: "token" }>;

export const tokenUnits: readonly TokenUnit[] = billingUnits.filter((unit) => unit.kind === "token");
export const countedUnits: readonly CountedUnit[] = billingUnits.filter((unit) => unit.kind === "counted");

/** Counts by unit. */
export type UnitCounts = { readonly [name in BillingUnit["name"]]: number };

/** Pico-USD by unit; null if the unit has no price of its own. */
export type OptionalPrices = { readonly [price in BillingUnit["price"]]: bigint | null };

/** Pico-USD by unit. Every model has a price per input and output token, which can be zero. */
export type UnitPrices = OptionalPrices & { readonly input: bigint; readonly output: bigint };

/** Name of a price setting of these units. */
export type PriceSetting<Unit extends BillingUnit = BillingUnit> = Unit extends unknown
  ? keyof Unit["settings"] & string
  : never;

/** Returns one value per price, such as a column or a setting. */
export function mapPrices<Value>(read: (unit: BillingUnit) => Value): {
  readonly [price in BillingUnit["price"]]: Value;
} {
  return Object.fromEntries(billingUnits.map((unit) => [unit.price, read(unit)])) as {
    readonly [price in BillingUnit["price"]]: Value;
  };
}
