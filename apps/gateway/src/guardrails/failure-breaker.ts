/** So many failures in a row, and nobody waits for the next one. */
const MAX_FAILURES = 5;
const REST_MS = 10_000;

/** Keeps calls from waiting, one after the other, for something that does not answer. After a rest one call tries it out. */
export class FailureBreaker {
  readonly #now: () => number;
  #failures = 0;
  #restsUntilMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws at once while it rests. */
  enter(): void {
    if (this.#failures < MAX_FAILURES) return;
    const nowMs = this.#now();
    if (nowMs < this.#restsUntilMs) throw new Error("paused after repeated failures");
    // Those who come while this one tries are still refused.
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
