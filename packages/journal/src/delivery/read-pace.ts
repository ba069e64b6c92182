/** Number of events that a read should find. If it finds a few more, they still fit into one batch. */
const WANTED_EVENTS = 400;
const MIN_SPACING_MS = 50;
const MAX_SPACING_MS = 1_000;
/**
 * Time that the first event after a pause waits. Its response is sent in this time, without competing with delivery
 * for a core.
 */
const FIRST_WAIT_MS = 10;

/**
 * Chooses when to read the journal. A batch costs as much as several hundred of its events, so events are gathered
 * until they fill a batch, for at most a second. After a pause of a second, the next event doesn't wait for others.
 */
export class ReadPace {
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #spacingMs = MAX_SPACING_MS;
  #events = 0;

  /** Counts events that were read. */
  add(events: number): void {
    this.#events += events;
  }

  /** Records that everything written so far has been read. Returns when to read again if the journal is in use. */
  end(nowMs: number): number {
    if (this.#events === 0) return nowMs + FIRST_WAIT_MS;
    const fullMs = ((nowMs - this.#startedAtMs) * WANTED_EVENTS) / this.#events;
    this.#spacingMs = Math.min(Math.max(fullMs, MIN_SPACING_MS), MAX_SPACING_MS);
    this.#startedAtMs = nowMs;
    this.#endedAtMs = nowMs;
    this.#events = 0;
    return nowMs + this.#spacingMs;
  }

  /** Returns when to read a journal that has grown since it was read to its end. */
  resume(nowMs: number): number {
    this.#startedAtMs = nowMs;
    return Math.max(nowMs + FIRST_WAIT_MS, this.#endedAtMs + this.#spacingMs);
  }
}
