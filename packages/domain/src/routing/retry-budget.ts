const WINDOW_SECONDS = 10;
const CALLS_PER_RETRY = 10;
/** Number of concurrent retries always allowed, even with few calls. */
const LEAST_AT_ONCE = 3;
/**
 * Maximum number of always-allowed retries per window. Without this maximum, quick failures in a quiet group would
 * double its calls. With 30, a group with 35 calls per second and one of two deployments failing 15% lost 0.15% of its
 * calls; with 50, it lost less than 0.05%.
 */
const LEAST_IN_WINDOW = 50;

/** Limits the retries of a group to a tenth of its calls in the last ten seconds. */
export class RetryBudget {
  #inFlight = 0;
  #calls = 0;
  #retries = 0;
  #second = 0;
  readonly #callsBySecond = new Uint32Array(WINDOW_SECONDS);
  readonly #retriesBySecond = new Uint32Array(WINDOW_SECONDS);

  /** Counts a call that the group starts to serve, excluding retries. */
  noteCall(nowMs: number): void {
    const slot = this.#roll(nowMs);
    this.#callsBySecond[slot] = (this.#callsBySecond[slot] ?? 0) + 1;
    this.#calls += 1;
  }

  /** Takes one retry from the budget. Returns false if no retry is left. Call `end` for each retry taken. */
  take(nowMs: number): boolean {
    const slot = this.#roll(nowMs);
    const isWithinShare = (this.#retries + 1) * CALLS_PER_RETRY <= this.#calls;
    const isAmongFew = this.#inFlight < LEAST_AT_ONCE && this.#retries < LEAST_IN_WINDOW;
    if (!isWithinShare && !isAmongFew) return false;
    this.#retriesBySecond[slot] = (this.#retriesBySecond[slot] ?? 0) + 1;
    this.#retries += 1;
    this.#inFlight += 1;
    return true;
  }

  /** Ends a retry, regardless of its outcome. */
  end(): void {
    this.#inFlight -= 1;
  }

  /** Returns the current second's slot and drops everything older than the window. Ignores backward clock changes. */
  #roll(nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    if (second > this.#second) {
      const oldest = Math.max(this.#second + 1, second - WINDOW_SECONDS + 1);
      for (let each = oldest; each <= second; each += 1) this.#forget(each % WINDOW_SECONDS);
      this.#second = second;
    }
    return this.#second % WINDOW_SECONDS;
  }

  #forget(slot: number): void {
    this.#calls -= this.#callsBySecond[slot] ?? 0;
    this.#retries -= this.#retriesBySecond[slot] ?? 0;
    this.#callsBySecond[slot] = 0;
    this.#retriesBySecond[slot] = 0;
  }
}
