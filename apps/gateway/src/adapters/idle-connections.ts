/** A connection that can be reused. */
export interface Restable {
  restsSinceMs: number;
}

/**
 * Connections that are idle between calls. The most recently used connection is taken first, so that the least used
 * connections expire. A connection must be idle for a minimum time before it is reused, because unexpected bytes arrive
 * shortly after a response and would be mistaken for the next response.
 *
 * A timer measures this time, because a delayed process that compared clock times could reuse a connection before
 * reading those bytes.
 */
export class IdleConnections<Connection extends Restable> {
  readonly #restMs: number;
  /** Connections that can be reused, oldest first. */
  readonly #rested: Connection[] = [];
  /** Connections that have not been idle for the minimum time yet, oldest first. */
  #fresh: Connection[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(restMs: number) {
    this.#restMs = restMs;
  }

  add(connection: Connection): void {
    connection.restsSinceMs = Date.now();
    this.#fresh.push(connection);
    if (this.#timer === null) this.#wakeIn(this.#restMs);
  }

  /** Adds a connection to a trusted upstream. The connection is ready immediately. */
  addRested(connection: Connection): void {
    connection.restsSinceMs = Date.now();
    this.#rested.push(connection);
  }

  /** Takes a ready connection. Returns undefined if no connection is ready. */
  take(): Connection | undefined {
    return this.#rested.pop();
  }

  /** Takes all ready connections that have been idle since before this time. */
  takeOlderThan(oldestMs: number): readonly Connection[] {
    let expired = 0;
    while (expired < this.#rested.length && (this.#rested[expired] as Connection).restsSinceMs < oldestMs) expired += 1;
    return this.#rested.splice(0, expired);
  }

  /** Takes all connections. */
  takeAll(): readonly Connection[] {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return [...this.#rested.splice(0), ...this.#fresh.splice(0)];
  }

  readonly #wake = (): void => {
    this.#timer = null;
    const fresh = this.#fresh;
    const nowMs = Date.now();
    let rested = 0;
    while (rested < fresh.length && (fresh[rested] as Connection).restsSinceMs + this.#restMs <= nowMs) {
      this.#rested.push(fresh[rested] as Connection);
      rested += 1;
    }
    this.#fresh = rested === fresh.length ? [] : fresh.slice(rested);
    const [next] = this.#fresh;
    // Waits at least half the idle time, so that a busy process doesn't run a timer per connection.
    if (next !== undefined) this.#wakeIn(Math.max(this.#restMs / 2, next.restsSinceMs + this.#restMs - nowMs));
  };

  #wakeIn(delayMs: number): void {
    this.#timer = setTimeout(this.#wake, delayMs);
    this.#timer.unref();
  }
}
