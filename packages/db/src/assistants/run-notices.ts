import { type ChannelListener, listenToChannel } from "../listen-to-channel.ts";

/** Wakes those who follow runs when something happens in theirs, over one connection for the whole process. */
export class RunNotices {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listener: ChannelListener;

  constructor(connectionString: string, onLost: (error: Error) => void) {
    this.#listener = listenToChannel(connectionString, "tollgate_run", {
      onPayload: (payload) => this.#wake(payload.slice(0, payload.indexOf(" "))),
      onLost,
      // What happened meanwhile went unheard, so everyone looks.
      onReturn: () => this.#wakeAll(),
    });
  }

  /** Calls back whenever something happened in the run, until the returned function is called. */
  watch(runId: string, onChange: () => void): () => void {
    const watchers = this.#waiting.get(runId) ?? new Set();
    this.#waiting.set(runId, watchers.add(onChange));
    return () => {
      watchers.delete(onChange);
      if (watchers.size === 0 && this.#waiting.get(runId) === watchers) this.#waiting.delete(runId);
    };
  }

  /** Ends the connection, and wakes everyone for a last look. */
  async close(): Promise<void> {
    await this.#listener.close();
    this.#wakeAll();
  }

  #wake(runId: string): void {
    for (const onChange of this.#waiting.get(runId) ?? []) onChange();
  }

  #wakeAll(): void {
    for (const runId of this.#waiting.keys()) this.#wake(runId);
  }
}
