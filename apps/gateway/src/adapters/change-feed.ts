import { setTimeout as pause } from "node:timers/promises";
import type { ChangeFeedPage, FeedPosition } from "@tollgate/db/change-feed.ts";
import type { Notice } from "@tollgate/db/change-notifications.ts";

interface ChangeFeedParts {
  readonly read: (since: FeedPosition | null) => Promise<ChangeFeedPage>;
  readonly onChange: (change: Notice) => void;
  /** Called after `onChange` has been called for every change that was committed before this time. */
  readonly onCurrent: (atMs: number) => void;
  /** Called when reads start to fail. They are retried. */
  readonly onTrouble: (error: unknown) => void;
  readonly now: () => number;
}

/** Less than the time for which a cached key is fresh, so that keys stay fresh while the feed is read. */
const READ_EVERY_MS = 4_000;
const RETRY_MS = 500;
/** Processes that start together don't read together. */
const MAX_JITTER_MS = 200;

/**
 * Reads what changed in the database every few seconds, whether or not a notification announced it. Notifications make
 * a change effective immediately, and this feed within seconds if a notification is lost.
 */
export class ChangeFeed {
  readonly #parts: ChangeFeedParts;
  readonly #closing = new AbortController();
  #position: FeedPosition | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ChangeFeedParts) {
    this.#parts = parts;
  }

  /** Reads until closed. */
  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Passes on what changed since the last read that succeeded; at first, that everything may have changed. */
  async readOnce(): Promise<void> {
    const { read, onChange, onCurrent, now } = this.#parts;
    const startedAtMs = now();
    const { position, changes } = await read(this.#position);
    for (const change of changes) onChange(change);
    // Only changes that were committed before the query was sent are certain to be in its answer.
    onCurrent(startedAtMs);
    this.#position = position;
  }

  async #run(): Promise<void> {
    const { onTrouble, now } = this.#parts;
    const { signal } = this.#closing;
    let isFailing = false;
    while (!signal.aborted) {
      const startedAtMs = now();
      let waitMs = RETRY_MS;
      try {
        await this.readOnce();
        isFailing = false;
        waitMs = Math.max(RETRY_MS, READ_EVERY_MS + MAX_JITTER_MS * Math.random() - (now() - startedAtMs));
      } catch (error) {
        if (!isFailing && !signal.aborted) onTrouble(error);
        isFailing = true;
      }
      await pause(waitMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
