/** Number of items that the collector accepted, and number of items that were dropped. */
export interface TelemetryCounts {
  readonly sent: number;
  readonly dropped: number;
}

/** Outcome of sending a batch. After `away`, the batch is sent again. After `refused`, it is dropped. */
export type Delivery = "taken" | "refused" | "away";

/** Called once when the collector becomes unavailable, and once when it is available again. */
export interface CollectorListener {
  onAway(): void;
  onBack(): void;
}

/** Maximum number of queued items. Further items are dropped, because calls never wait for their traces to be sent. */
export const MAX_WAITING = 4_096;
const BATCH = 512;
const TICK_MS = 1_000;
const SHORTEST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Sends items to the collector in the background, one batch at a time. While the collector is unavailable, the same
 * batch is retried with increasing pauses.
 */
export class CollectorQueue<Item> {
  readonly #send: (items: readonly Item[]) => Promise<Delivery>;
  readonly #listener: CollectorListener;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #waiting: Item[] = [];
  #sending: Promise<void> | null = null;
  #pauseMs = 0;
  #pausedUntilMs = 0;
  #sent = 0;
  #dropped = 0;

  constructor(
    send: (items: readonly Item[]) => Promise<Delivery>,
    listener: CollectorListener,
    now: () => number,
    tickMs = TICK_MS,
  ) {
    this.#send = send;
    this.#listener = listener;
    this.#now = now;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  get counts(): TelemetryCounts {
    return { sent: this.#sent, dropped: this.#dropped };
  }

  add(item: Item): void {
    if (this.#waiting.length >= MAX_WAITING) this.#dropped += 1;
    else this.#waiting.push(item);
  }

  /** Sends the queued items once and drops the items that cannot be sent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    while (this.#waiting.length > 0 && this.#pauseMs === 0) await this.#sendBatch();
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
  }

  #tick(): void {
    if (this.#waiting.length === 0 || this.#sending !== null || this.#now() < this.#pausedUntilMs) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    do await this.#sendBatch();
    while (this.#pauseMs === 0 && this.#waiting.length >= BATCH);
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH);
    const delivery = await this.#send(batch);
    if (delivery === "away") return this.#pause();
    this.#waiting.splice(0, batch.length);
    if (delivery === "taken") this.#sent += batch.length;
    else this.#dropped += batch.length;
    if (this.#pauseMs > 0) this.#listener.onBack();
    this.#pauseMs = 0;
  }

  #pause(): void {
    if (this.#pauseMs === 0) this.#listener.onAway();
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, this.#pauseMs * 2));
    this.#pausedUntilMs = this.#now() + this.#pauseMs;
  }
}
