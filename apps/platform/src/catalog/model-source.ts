import type { NanoUsd } from "@tollgate/domain/money.ts";

/** Models that the gateway serves in addition to the stored catalog models. */
export interface ModelSource {
  /** Returns the current public models from the settings files. */
  list(): readonly ListedModel[];
  /**
   * Reports whether the settings files define this model name, publicly or not. The settings files take precedence over
   * the catalog.
   */
  has(name: string): boolean;
  /** Returns the provider kinds that the gateway supports. */
  kinds(): readonly ProviderKind[];
}

export interface ProviderKind {
  readonly name: string;
  /** True if providers of this kind need a base URL because there is no default. */
  readonly needsBaseUrl: boolean;
}

/** A model in the public list. */
export interface ListedModel {
  /** Model group name. */
  readonly id: string;
  /** Mode in the gateway, such as `chat` or `image_generation`. */
  readonly mode: string;
  readonly provider: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly capabilities: readonly string[];
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Prices in nano-USD. A price is null if it is unknown or if the model isn't billed in that unit. */
  readonly price: {
    readonly inputPerMillionTokens: NanoUsd | null;
    readonly outputPerMillionTokens: NanoUsd | null;
    readonly cachedInputPerMillionTokens: NanoUsd | null;
    readonly perImage: NanoUsd | null;
    readonly perAudioSecond: NanoUsd | null;
    readonly perMillionCharacters: NanoUsd | null;
    /** Minimum price per call. */
    readonly perRequest: NanoUsd;
  } | null;
}
