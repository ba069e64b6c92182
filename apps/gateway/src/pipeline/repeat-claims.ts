import type { Call } from "./call.ts";

/** What an earlier call with the same Idempotency-Key was answered. */
export interface RepeatedAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The body, byte for byte, as a string of bytes. */
  readonly text: string;
}

/** One call's hold on its Idempotency-Key. Exactly one of its two ends is called. */
export interface RepeatClaim {
  /** Keeps the answer for retries; done when it is safe. An answer that is too long is not kept. */
  keep(answer: RepeatedAnswer): Promise<void>;
  /** The call was not answered with success: the next one with this key may try. */
  release(): Promise<void>;
}

/** Calls that say by an Idempotency-Key which of them are the same. */
export interface RepeatClaims {
  /**
   * Gives the call its claim, or the answer that another has got, once it is there. Throws when the key was used for
   * another body, and when nobody can tell what became of the first call.
   */
  claim(call: Call, key: string): Promise<RepeatedAnswer | null>;
}
