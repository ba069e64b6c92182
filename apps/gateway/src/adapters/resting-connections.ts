/** Something that was used and may be used again. */
export interface Restable {
  restsSinceMs: number;
}

/**
 * Connections between two calls. The one that rested least is taken first, so that the least used fall idle; but none
 * before it has rested for a while, because bytes that nobody asked for follow an answer closely, and would be taken
 * for the next one's.
 *
 * The rest ends in a turn of the loop of its own, never by a look at the clock: in a process that is late, the time may
 * be over before anyone has looked whether something came.
 */
export class IdleConnections<Connection extends Restable> {
  readonly #restMs: number;
  /** Ready to be taken, the oldest first. */
  readonly #rested: Connection[] = [];
  /** Too fresh, the oldest first. */
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

  /** Of an upstream that need not be listened to. */
  addRested(connection: Connection): void {
    connection.restsSinceMs = Date.now();
    this.#rested.push(connection);
  }

  /** One that has rested, or undefined. */
  take(): Connection | undefined {
    return this.#rested.pop();
  }

  /** Takes all that have rested since before then. */
  takeOlderThan(oldestMs: number): readonly Connection[] {
    let expired = 0;
    while (expired < this.#rested.length && (this.#rested[expired] as Connection).restsSinceMs < oldestMs) expired += 1;
    return this.#rested.splice(0, expired);
  }

  /** Takes all there are. */
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
    // Not sooner than half a rest, so that a busy process is not woken for each of them.
    if (next !== undefined) this.#wakeIn(Math.max(this.#restMs / 2, next.restsSinceMs + this.#restMs - nowMs));
  };

  #wakeIn(delayMs: number): void {
    this.#timer = setTimeout(this.#wake, delayMs);
    this.#timer.unref();
  }
}
