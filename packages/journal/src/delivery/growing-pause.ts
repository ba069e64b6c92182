const FIRST_MS = 100;
const MAX_MS = 5_000;

/** Exponential backoff for a failing operation. */
export class GrowingPause {
  #lengthMs = 0;
  untilMs = 0;

  /** Extends the pause after a failure. Failures during a pause count as one, because the calls ran concurrently. */
  grow(nowMs: number): void {
    if (nowMs < this.untilMs) return;
    this.#lengthMs = this.#lengthMs === 0 ? FIRST_MS : Math.min(this.#lengthMs * 2, MAX_MS);
    this.untilMs = nowMs + this.#lengthMs;
  }

  /** Resets the backoff after a success. */
  end(): void {
    this.#lengthMs = 0;
    this.untilMs = 0;
  }
}
