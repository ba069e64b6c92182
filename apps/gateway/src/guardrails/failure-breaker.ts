/** Number of consecutive failures that opens the breaker. */
const MAX_FAILURES = 5;
const REST_MS = 10_000;

/** Keeps calls from waiting for a service that does not respond. After a cooldown, one call tries the service again. */
export class FailureBreaker {
  readonly #now: () => number;
  #failures = 0;
  #restsUntilMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws immediately during the cooldown. */
  enter(): void {
    if (this.#failures < MAX_FAILURES) return;
    const nowMs = this.#now();
    if (nowMs < this.#restsUntilMs) throw new Error("paused after repeated failures");
    // Other calls are refused while this call tries the service.
    this.#restsUntilMs = nowMs + REST_MS;
  }

  succeed(): void {
    this.#failures = 0;
  }

  fail(): void {
    this.#failures += 1;
    this.#restsUntilMs = this.#now() + REST_MS;
  }
}
