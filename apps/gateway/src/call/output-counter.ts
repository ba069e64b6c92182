/**
 * Finds the output text in a provider's bytes. Each match is a JSON string without its quotes, one character per byte.
 */
export type FindTexts = (sent: string, found: (escaped: string) => void) => void;

/** Counts the output of a stream, in case the upstream reports no usage. */
export interface OutputCounter {
  /** Total number of bytes sent, including all bytes around the text. */
  readonly sentBytes: number;
  /** An estimate of the number of tokens, without counting. */
  readonly roughTokens: number;
  /** Counts the tokens so far and releases the counted text. The count is never too high. */
  checkpoint(): number;
  /** Returns the number of tokens. */
  count(): number;
}
