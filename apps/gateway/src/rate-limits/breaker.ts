const FAILURES_TO_OPEN = 5;
const FAILURE_SPAN_MS = 1_000;

/** Says when to stop asking something that does not answer. Whoever uses it probes, and closes it again. */
export class Breaker {
  isOpen = false;
  /** When the latest failures happened, oldest first. */
  #failures: number[] = [];

  /** Notes a failure; true when this one opens the breaker. */
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
