/**
 * What a call used, in counters that do not overlap: a cached token is counted once, as cached. `reasoningTokens` alone
 * is a part of another counter (`outputTokens`), because providers price it apart but report it inside.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Whether the provider said so, or we counted because it did not. */
  readonly source: "reported" | "estimated";
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  source: "reported",
};
