import type { NanoUsd } from "@tollgate/domain/money.ts";

/** The models that can be called, from settings files and from the database, as they are now. */
export interface ModelSource {
  list(): readonly ListedModel[];
}

/** A model as the public list may show it. */
export interface ListedModel {
  /** The group's name. */
  readonly id: string;
  /** The mode of the gateway: `chat`, `image_generation`, … */
  readonly mode: string;
  readonly provider: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly capabilities: readonly string[];
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Nano-USD per million tokens; null when unknown. */
  readonly price: {
    readonly inputPerMillionTokens: NanoUsd;
    readonly outputPerMillionTokens: NanoUsd;
    readonly cachedInputPerMillionTokens: NanoUsd | null;
  } | null;
}
