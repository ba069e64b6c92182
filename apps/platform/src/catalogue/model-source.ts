import type { NanoUsd } from "@tollgate/domain/money.ts";

/** What the gateway can serve besides the catalogue's own models. */
export interface ModelSource {
  /** The models of the settings files that anybody may know of, as they are now. */
  list(): readonly ListedModel[];
  /** Whether the settings files give this name a meaning, to whomever. Theirs wins over the catalogue's. */
  has(name: string): boolean;
  /** The kinds of provider the gateway can speak to. */
  kinds(): readonly ProviderKind[];
}

export interface ProviderKind {
  readonly name: string;
  /** Whether a provider of this kind has to say where it is: there is no usual address. */
  readonly needsBaseUrl: boolean;
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
  /** Nano-USD; null when unknown, and where it is not charged by that unit. */
  readonly price: {
    readonly inputPerMillionTokens: NanoUsd | null;
    readonly outputPerMillionTokens: NanoUsd | null;
    readonly cachedInputPerMillionTokens: NanoUsd | null;
    readonly perImage: NanoUsd | null;
    readonly perAudioSecond: NanoUsd | null;
    readonly perMillionCharacters: NanoUsd | null;
    /** What a call costs at least. */
    readonly perRequest: NanoUsd;
  } | null;
}
