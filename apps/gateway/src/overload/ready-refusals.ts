import { Failure } from "@tollgate/contracts/failures.ts";

const RETRY_AFTER_MS = 1_250;
/** Clients that were all refused at once should not all come back at once. */
const JITTER = 0.2;
const KINDS = 21;

/**
 * Refusals made beforehand, which differ in when to come back. To make one costs a stack trace, which is most of what a
 * refusal costs; nobody looks at the trace of these.
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

  /** One of them, whichever chance brings. */
  next(): Failure {
    return this.#failures[Math.floor(this.#random() * KINDS)] as Failure;
  }
}
