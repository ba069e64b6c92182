const CHECK_MS = 10_000;
const KEPT = 64;
const FRESH_LIMIT = 1_000;

/**
 * Confirmed events that are periodically checked again: the first and last event of each batch. A database that is
 * restored to an earlier state loses its most recent events, so it also loses one of the last canaries.
 */
export class Canaries {
  /** Canaries that the ledger still had at the last check. */
  #checked: readonly string[] = [];
  #fresh: string[] = [];
  #taken = 0;
  #dueMs = Number.POSITIVE_INFINITY;

  /** Adds an event that the ledger has confirmed. */
  add(id: string, nowMs: number): void {
    this.#fresh.push(id);
    this.#dueMs = this.#fresh.length >= FRESH_LIMIT ? nowMs : Math.min(this.#dueMs, nowMs + CHECK_MS);
  }

  /** True if there is nothing to check. */
  get isEmpty(): boolean {
    return this.#dueMs === Number.POSITIVE_INFINITY;
  }

  /** Makes the next check due now. */
  hurry(nowMs: number): void {
    if (!this.isEmpty) this.#dueMs = Math.min(this.#dueMs, nowMs);
  }

  /** Time of the next check; Infinity if there are no canaries. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Returns the canaries to check now, or an empty list before the check is due. */
  take(nowMs: number): readonly string[] {
    if (this.#dueMs > nowMs) return [];
    this.#taken = this.#fresh.length;
    return [...this.#checked, ...this.#fresh];
  }

  /** Records that the ledger still has all canaries from the last `take`. */
  check(nowMs: number): void {
    this.#checked = [...this.#checked, ...this.#fresh.slice(0, this.#taken)].slice(-KEPT);
    this.#fresh = this.#fresh.slice(this.#taken);
    this.#dueMs = nowMs + CHECK_MS;
  }
}
