const FAILURES_TO_OPEN = 5;
const FAILURE_SPAN_MS = 1_000;

/**
 * Decides when to stop calling a service that doesn't respond. The code that uses the breaker probes the service and
 * closes the breaker.
 */
export class Breaker {
  isOpen = false;
  /** Times of the latest failures, oldest first. */
  #failures: number[] = [];

  /** Records a failure. Returns true if it opens the breaker. */
  fail(nowMs: number): boolean {
    if (this.isOpen) return false;
    this.#failures = this.#failures.filter((atMs) => nowMs - atMs < FAILURE_SPAN_MS);
    this.#failures.push(nowMs);
    this.isOpen = this.#failures.length >= FAILURES_TO_OPEN;
    return this.isOpen;
  }

  close(): void {
    this.isOpen = false;
    this.#failures = [];
  }
}
