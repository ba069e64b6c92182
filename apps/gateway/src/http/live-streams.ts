import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** The reason why a streamed response must end before it is complete. */
export type StreamEnd = "client_gone" | "leaving";

/** Time for overdue streams to send their last bytes. */
const LAST_WORDS_MS = 1_000;

/** The streamed responses outside the fast path. A drain waits for them and aborts those that don't finish in time. */
export class LiveStreams {
  readonly #open = new Set<AbortController>();
  #isLeaving = false;
  #onNone: (() => void) | null = null;

  get size(): number {
    return this.#open.size;
  }

  /** Tracks a response. The signal aborts with a `StreamEnd` as the reason if the response must end early. */
  open(response: ServerResponse): AbortSignal {
    const ending = new AbortController();
    if (response.destroyed) {
      ending.abort("client_gone" satisfies StreamEnd);
      return ending.signal;
    }
    if (this.#isLeaving) ending.abort("leaving" satisfies StreamEnd);
    this.#open.add(ending);
    response.once("close", () => {
      this.#open.delete(ending);
      ending.abort("client_gone" satisfies StreamEnd);
      if (this.#open.size === 0) this.#onNone?.();
    });
    return ending.signal;
  }

  /**
   * Resolves when every response has completed or has been aborted by the timeout. Requests can start new responses
   * until `isServed` resolves.
   */
  async drain(timeoutMs: number, isServed: Promise<unknown> = Promise.resolve()): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    await Promise.race([isServed, pause(timeoutMs, undefined, { ref: false })]);
    await this.#noneWithin(deadlineMs - performance.now());
    this.#isLeaving = true;
    for (const ending of this.#open) ending.abort("leaving" satisfies StreamEnd);
    await this.#noneWithin(LAST_WORDS_MS);
  }

  #noneWithin(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, timeoutMs));
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
