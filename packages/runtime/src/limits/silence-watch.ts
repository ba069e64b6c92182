/** A pending request and its start time. */
interface Waiting {
  readonly sinceMs: number;
  readonly fail: (error: Error) => void;
}

/**
 * Gives up on a peer that doesn't respond. Any response restarts the timeout of all pending requests, so that a burst
 * answered in order doesn't count as an outage. No request waits longer than `maxWaitMs`.
 */
export class SilenceWatch {
  readonly #silenceMs: number;
  readonly #maxWaitMs: number;
  readonly #waiting = new Set<Waiting>();
  #receivedAtMs = 0;
  #isWatching = false;

  constructor(silenceMs: number, maxWaitMs: number) {
    this.#silenceMs = silenceMs;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Resolves with the result, or rejects if the peer doesn't respond in time. */
  guard<T>(running: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting: Waiting = { sinceMs: performance.now(), fail: reject };
    // Time without a pending request doesn't count toward the timeout.
    if (this.#waiting.size === 0) this.#receivedAtMs = waiting.sinceMs;
    this.#waiting.add(waiting);
    const end = () => {
      this.#waiting.delete(waiting);
      this.#receivedAtMs = performance.now();
    };
    running.then(
      (value) => {
        end();
        resolve(value);
      },
      (error) => {
        end();
        reject(error);
      },
    );
    this.#watch();
    return promise;
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    // The client writes at the end of this event loop turn, so the timeout starts then.
    setImmediate(() => this.#wait(Math.min(this.#silenceMs, this.#maxWaitMs)));
  }

  #wait(durationMs: number): void {
    // After this process was blocked, responses may still be unread in the socket, so the check waits for one more
    // event loop turn.
    setTimeout(() => setImmediate(() => this.#check()), durationMs);
  }

  #check(): void {
    const nowMs = performance.now();
    const silentForMs = nowMs - this.#receivedAtMs;
    for (const waiting of this.#waiting) {
      const isOverdue = silentForMs >= this.#silenceMs || nowMs - waiting.sinceMs >= this.#maxWaitMs;
      if (!isOverdue) break;
      this.#waiting.delete(waiting);
      waiting.fail(new Error(`no response in ${Math.round(nowMs - waiting.sinceMs)} ms`));
    }
    const [oldest] = this.#waiting;
    this.#isWatching = oldest !== undefined;
    if (oldest === undefined) return;
    const untilSilenceMs = this.#silenceMs - silentForMs;
    const untilOverdueMs = this.#maxWaitMs - (nowMs - oldest.sinceMs);
    this.#wait(Math.max(1, Math.ceil(Math.min(untilSilenceMs, untilOverdueMs))));
  }
}
