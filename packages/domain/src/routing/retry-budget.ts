const WINDOW_SECONDS = 10;
const CALLS_PER_RETRY = 10;
/** So many may be under way at once however few calls there are, */
const LEAST_AT_ONCE = 3;
/**
 * but not more than this in a window, or quick failures of a quiet group would double its calls. With 30, a group of 35
 * calls a second whose one of two deployments fails 15 % lost 0.15 % of its calls to chance; with 50 none loses 0.05 %.
 */
const LEAST_IN_WINDOW = 50;

/** Keeps the retries of a group within a tenth of its calls of the last ten seconds. */
export class RetryBudget {
  #inFlight = 0;
  #calls = 0;
  #retries = 0;
  #second = 0;
  readonly #callsBySecond = new Uint32Array(WINDOW_SECONDS);
  readonly #retriesBySecond = new Uint32Array(WINDOW_SECONDS);

  /** Counts a call that the group begins to serve, retries not among them. */
  noteCall(nowMs: number): void {
    const slot = this.#roll(nowMs);
    this.#callsBySecond[slot] = (this.#callsBySecond[slot] ?? 0) + 1;
    this.#calls += 1;
  }

  /** Takes one retry; false when there is none to take. Each one taken is given back when it has ended. */
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

  /** A retry has ended, however it went. */
  end(): void {
    this.#inFlight -= 1;
  }

  /** The slot of this second, with everything older than the window forgotten. A clock set back changes nothing. */
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
