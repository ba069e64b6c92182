import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Why a streamed answer must end before it is complete. */
export type StreamEnd = "client_gone" | "leaving";

/** What is left for the last words of streams that did not end in time. */
const LAST_WORDS_MS = 1_000;

/** The streamed answers off the fast path: a process that leaves lets them end, and tells those that do not to. */
export class LiveStreams {
  readonly #open = new Set<AbortController>();
  #isLeaving = false;
  #onNone: (() => void) | null = null;

  get size(): number {
    return this.#open.size;
  }

  /** Counts an answer as under way. The signal fires, with a `StreamEnd`, when it must end early. */
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
   * Resolves when every answer has ended: by itself within the time given, or because it was told to. Requests may still
   * begin one until `isServed` resolves.
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
