import { type ChannelListener, listenToChannel } from "../listen-to-channel.ts";

/** Notifies the listeners of a run when it changes, over one connection for the whole process. */
export class RunNotices {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listener: ChannelListener;

  constructor(connectionString: string, onLost: (error: Error) => void) {
    this.#listener = listenToChannel(connectionString, "tollgate_run", {
      onPayload: (payload) => this.#wake(payload.slice(0, payload.indexOf(" "))),
      onLost,
      // Notifications may have been lost while the connection was down, so notify all listeners.
      onReturn: () => this.#wakeAll(),
    });
  }

  /** Calls `onChange` whenever the run changes, until the returned function is called. */
  watch(runId: string, onChange: () => void): () => void {
    const watchers = this.#waiting.get(runId) ?? new Set();
    this.#waiting.set(runId, watchers.add(onChange));
    return () => {
      watchers.delete(onChange);
      if (watchers.size === 0 && this.#waiting.get(runId) === watchers) this.#waiting.delete(runId);
    };
  }

  /** Closes the connection and notifies all listeners, so that they read one last time. */
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
