/**
 * What a call used, in counters that do not overlap: a cached token is counted once, as cached. Reasoning and audio
 * tokens alone are parts of other counters, because providers price them apart but report them inside.
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
  /** A part of `outputTokens`, none of it reasoning. */
  readonly audioOutputTokens: number;
  /** Of a text to be spoken. */
  readonly characters: number;
  /** Milliseconds of audio that were transcribed or spoken. */
  readonly audioMs: number;
  /** That were generated. */
  readonly images: number;
  /** That were made of documents, in a provider's own unit: one query against so many of them. */
  readonly searches: number;
  /** Whether the provider said so, or we counted because it did not. */
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

/** Whether it used nothing but plain tokens, as most calls do. */
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
