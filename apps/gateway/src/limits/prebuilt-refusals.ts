import { Failure } from "@tollgate/contracts/failures.ts";

const RETRY_AFTER_MS = 1_250;
/** Random spread of retry delays, so that clients that were refused together don't all retry together. */
const JITTER = 0.2;
const KINDS = 21;

/**
 * Prebuilt refusals with different retry delays. Most of the cost of a refusal is the failure's stack trace, which is
 * never used here.
 */
export class PrebuiltRefusals {
  readonly #failures: readonly Failure[];
  readonly #random: () => number;

  constructor(message: string, random: () => number) {
    this.#random = random;
    this.#failures = Array.from({ length: KINDS }, (_, index) => {
      const part = (2 * index) / (KINDS - 1) - 1;
      const retryAfterMs = Math.round(RETRY_AFTER_MS * (1 + JITTER * part));
      return new Failure("overloaded", `${message} Try again shortly.`, { retryAfterMs });
    });
  }

  /** Returns a random refusal. */
  next(): Failure {
    return this.#failures[Math.floor(this.#random() * KINDS)] as Failure;
  }
}
