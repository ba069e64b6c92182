/**
 * Usage of a call in counters that don't overlap: a cached token is counted once, as cached. The exceptions are
 * reasoning and audio tokens, because providers price them separately but report them inside other counters.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** A part of `outputTokens`. */
  readonly reasoningTokens: number;
  /** A part of `inputTokens`. */
  readonly audioInputTokens: number;
  /** A part of `outputTokens` that doesn't overlap with reasoning tokens. */
  readonly audioOutputTokens: number;
  /** Input characters for speech. */
  readonly characters: number;
  /** Milliseconds of transcribed or generated audio. */
  readonly audioMs: number;
  /** Number of generated images. */
  readonly images: number;
  /** Rerank search units, as billed by the provider. */
  readonly searches: number;
  /** `reported` by the provider, or `estimated` by the gateway. */
  readonly source: "reported" | "estimated";
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
  characters: 0,
  audioMs: 0,
  images: 0,
  searches: 0,
  source: "reported",
};

/** Reports whether the call used only plain tokens, like most calls. */
export function isPlainUsage(usage: Usage): boolean {
  return (
    usage.audioInputTokens === 0 &&
    usage.audioOutputTokens === 0 &&
    usage.characters === 0 &&
    usage.audioMs === 0 &&
    usage.images === 0 &&
    usage.searches === 0
  );
}
