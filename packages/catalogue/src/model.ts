/** What a model is for, in the words `/model_group/info` prints. */
export const modes = [
  "audio_speech",
  "audio_transcription",
  "chat",
  "completion",
  "embedding",
  "image_generation",
  "moderation",
  "rerank",
  "responses",
] as const;
export type Mode = (typeof modes)[number];

/** What can be charged for. The first seven are per token, the others per the unit they name. */
export const priceFields = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "outputReasoning",
  "inputAudio",
  "outputAudio",
  "inputPerCharacter",
  "inputPerSecond",
  "outputPerSecond",
  "inputPerImage",
  "outputPerImage",
  "perQuery",
] as const;
export type PriceField = (typeof priceFields)[number];

/** Pico-USD by field. A field that is absent is unknown; zero is only ever a price that is known to be zero. */
export type PriceTable<Amount> = { readonly [field in PriceField]?: Amount };

/** Prices of a whole call once its input is longer than the threshold; a field that is absent keeps its base price. */
export interface PriceTier<Amount> {
  readonly aboveInputTokens: number;
  readonly prices: PriceTable<Amount>;
}

export interface Prices<Amount> extends PriceTable<Amount> {
  /** Ascending by threshold: the last one that is exceeded applies. */
  readonly tiers?: readonly PriceTier<Amount>[];
  /** Price of one generated image by quality and size, such as `high/1024x1024`. */
  readonly imageSizes?: Readonly<Record<string, Amount>>;
}

/** Two figures for one price that a person has to look at; null where a source has none. */
export interface Review<Amount> {
  readonly field: string;
  readonly first: Amount | null;
  readonly second: Amount | null;
}

/** Why a price of zero is meant: nothing is free by omission. */
export const freeReasons = ["moderation", "self-hosted", "simulated"] as const;
export type FreeReason = (typeof freeReasons)[number];

/** One line of the generated file. Amounts are JSON integers: all are far below 2^53, and they parse fastest and diff best. */
export interface ModelRecord {
  readonly id: string;
  readonly mode: Mode;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly supports?: readonly string[];
  readonly deprecatedOn?: string;
  readonly free?: FreeReason;
  readonly prices?: Prices<number>;
  readonly review?: readonly Review<number>[];
}

export interface CatalogFile {
  readonly version: string;
  readonly pricesAsOf: string;
  readonly models: readonly ModelRecord[];
}

export interface Model {
  /** `<provider>/<model>`, unique. */
  readonly id: string;
  readonly provider: string;
  /** The provider's own name for it, which may contain slashes. */
  readonly model: string;
  readonly mode: Mode;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Capabilities in short words: `vision`, `function_calling`, `prompt_caching` and so on. */
  readonly supports: readonly string[];
  /** The day the provider retires it, as YYYY-MM-DD. */
  readonly deprecatedOn: string | null;
  readonly free: FreeReason | null;
  readonly prices: Prices<bigint>;
  readonly review: readonly Review<bigint>[];
}
