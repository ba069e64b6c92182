/** Something that was used and may be used again. */
export interface Restable {
  restsSinceMs: number;
}

/**
 * Connections between two calls. The one that rested least is taken first, so that the least used fall idle; but none
 * before it has rested for a while, because bytes that nobody asked for follow an answer closely, and would be taken
 * for the next one's.
 */
export class RestingConnections<Connection extends Restable> {
  readonly #restMs: number;
  /** Ready to be taken, the oldest first. */
  readonly #rested: Connection[] = [];
  /** Too fresh, the oldest first, from `#first` on. */
  #fresh: Connection[] = [];
  #first = 0;

  constructor(restMs: number) {
    this.#restMs = restMs;
  }

  add(connection: Connection, nowMs: number): void {
    connection.restsSinceMs = nowMs;
    this.#fresh.push(connection);
  }

  /** One that has rested, or undefined. */
  take(nowMs: number): Connection | undefined {
    this.#moveRested(nowMs);
    return this.#rested.pop();
  }

  /** Takes all that have rested since before then. */
  takeOlderThan(oldestMs: number, nowMs: number): readonly Connection[] {
    this.#moveRested(nowMs);
    let expired = 0;
    while (expired < this.#rested.length && (this.#rested[expired] as Connection).restsSinceMs < oldestMs) expired += 1;
    return this.#rested.splice(0, expired);
  }

  /** Takes all there are. */
  takeAll(): readonly Connection[] {
    const all = [...this.#rested.splice(0), ...this.#fresh.slice(this.#first)];
    this.#fresh = [];
    this.#first = 0;
    return all;
  }

  #moveRested(nowMs: number): void {
    const fresh = this.#fresh;
    const since = nowMs - this.#restMs;
    while (this.#first < fresh.length && (fresh[this.#first] as Connection).restsSinceMs <= since) {
      this.#rested.push(fresh[this.#first] as Connection);
      this.#first += 1;
    }
    if (this.#first === 0) return;
    if (this.#first === fresh.length) fresh.length = 0;
    else if (this.#first < fresh.length / 2) return;
    else fresh.splice(0, this.#first);
    this.#first = 0;
  }
}
