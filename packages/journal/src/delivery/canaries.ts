const CHECK_MS = 10_000;
const KEPT = 64;
const FRESH_LIMIT = 1_000;

/**
 * Confirmed events that are asked for again now and then, the first and the last of each batch. A database that is put
 * back to an earlier state loses what it had confirmed last, so among the last ones confirmed is one that it has lost too.
 */
export class Canaries {
  /** Were still there when they were last asked for. */
  #checked: readonly string[] = [];
  #fresh: string[] = [];
  #taken = 0;
  #dueMs = Number.POSITIVE_INFINITY;

  /** The ledger has this one. */
  add(id: string, nowMs: number): void {
    this.#fresh.push(id);
    this.#dueMs = this.#fresh.length >= FRESH_LIMIT ? nowMs : Math.min(this.#dueMs, nowMs + CHECK_MS);
  }

  /** When they should be asked for; Infinity while there are none. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Those to be asked for now; none before they are due. */
  take(nowMs: number): readonly string[] {
    if (this.#dueMs > nowMs) return [];
    this.#taken = this.#fresh.length;
    return [...this.#checked, ...this.#fresh];
  }

  /** All that were taken are still there. */
  check(nowMs: number): void {
    this.#checked = [...this.#checked, ...this.#fresh.slice(0, this.#taken)].slice(-KEPT);
    this.#fresh = this.#fresh.slice(this.#taken);
    this.#dueMs = nowMs + CHECK_MS;
  }
}
