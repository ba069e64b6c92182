import type { PriceCondition } from "@tollgate/domain/pricing/rate-card.ts";

/** Purpose of a model, as printed by `/model_group/info`. */
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

/** Billable units. The first seven and `longCacheWrite` are per token. The others are per unit, as named. */
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
  "longCacheWrite",
  "perRequest",
  "perWebSearch",
  "perFileSearch",
  "perCodeSession",
  "perToolCall",
] as const;
export type PriceField = (typeof priceFields)[number];

/** Prices in pico-USD by field. If a field is absent, its price is unknown. A price of zero is a known price. */
export type PriceTable<Amount> = { readonly [field in PriceField]?: Amount };

/** Prices for the entire call if its input exceeds the threshold. Absent fields have their base price. */
export interface PriceTier<Amount> {
  readonly aboveInputTokens: number;
  readonly prices: PriceTable<Amount>;
}

/** Prices that apply if the provider serves a call under this condition. Absent fields have their base price. */
export interface ConditionalPrices<Amount> {
  readonly when: PriceCondition;
  readonly prices: PriceTable<Amount>;
  /** Prices for long prompts under this condition. */
  readonly tier?: PriceTier<Amount>;
}

export interface Prices<Amount> extends PriceTable<Amount> {
  /** Ascending by threshold. The highest exceeded tier applies. */
  readonly tiers?: readonly PriceTier<Amount>[];
  /** Price of one generated image by quality and size, such as `high/1024x1024`. */
  readonly imageSizes?: Readonly<Record<string, Amount>>;
  /** A later rule takes precedence. */
  readonly rules?: readonly ConditionalPrices<Amount>[];
}

/** Two differing values for one price, for review; null if a source has no value. */
export interface Review<Amount> {
  readonly field: string;
  readonly first: Amount | null;
  readonly second: Amount | null;
}

/** A publication that facts come from. */
export interface CatalogSource {
  readonly name: string;
  readonly url?: string;
  /** Date on which the source had these facts, as YYYY-MM-DD. */
  readonly asOf: string;
}

/** Reason why a price is intentionally zero. Without a reason, a model is never free. */
export const freeReasons = ["moderation", "self-hosted", "simulated"] as const;
export type FreeReason = (typeof freeReasons)[number];

/**
 * One line of the generated file. Amounts are JSON integers, because they are far below 2^53 and integers parse fastest
 * and produce the clearest diffs.
 */
export interface ModelRecord {
  readonly id: string;
  readonly mode: Mode;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly supports?: readonly string[];
  readonly deprecatedOn?: string;
  readonly free?: FreeReason;
  readonly prices?: Prices<number>;
  /** Sources of single facts by field, such as `cacheRead` or `maxInputTokens`. Others come from the first source. */
  readonly sources?: Readonly<Record<string, string>>;
  readonly review?: readonly Review<number>[];
}

export interface CatalogFile {
  /** The edition, such as `2026-08.1`. */
  readonly version: string;
  readonly pricesAsOf: string;
  /** Sources by ID. `first` and `second` of a review are the first two. */
  readonly sources?: Readonly<Record<string, CatalogSource>>;
  readonly models: readonly ModelRecord[];
}

export interface Model {
  /** `<provider>/<model>`, unique. */
  readonly id: string;
  readonly provider: string;
  /** The provider's model ID, which may contain slashes. */
  readonly model: string;
  readonly mode: Mode;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Capability names: `vision`, `function_calling`, `prompt_caching`, and so on. */
  readonly supports: readonly string[];
  /** Date on which the provider retires the model, as YYYY-MM-DD. */
  readonly deprecatedOn: string | null;
  readonly free: FreeReason | null;
  readonly prices: Prices<bigint>;
  /** Sources of single facts by field. Others come from the catalog's first source. */
  readonly sources: Readonly<Record<string, string>>;
  readonly review: readonly Review<bigint>[];
  /** Prices that sources disagree about and that no operator has confirmed. */
  readonly disputes: readonly Dispute[];
  /** True if the model has no price until an operator confirms it. */
  readonly isRefused: boolean;
}

/** One price that sources disagree about. */
export interface Dispute extends Review<bigint> {
  /** The amount that applies; null if none does. */
  readonly applied: bigint | null;
}
