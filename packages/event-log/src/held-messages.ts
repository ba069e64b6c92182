import type { JsMsg } from "@nats-io/jetstream";
import { countUsageEvents } from "./usage-batch.ts";

/** Messages that this process has received from the log and not acknowledged yet. */
export class HeldMessages {
  readonly #limit: number;
  readonly #eventsTogether: number;
  #waiting: JsMsg[] = [];
  #handled: readonly JsMsg[] = [];
  #hasEnded = false;
  #tellRoom: () => void = () => {};
  #tellMore: () => void = () => {};

  constructor(limit: number, eventsTogether: number) {
    this.#limit = limit;
    this.#eventsTogether = eventsTogether;
  }

  /** Resolves when there is capacity for another message. */
  async add(message: JsMsg): Promise<void> {
    this.#waiting.push(message);
    this.#tellMore();
    if (this.#waiting.length < this.#limit) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tellRoom = resolve;
    await promise;
  }

  /** Signals that no further messages will be added. */
  end(): void {
    this.#hasEnded = true;
    this.#tellMore();
  }

  /**
   * Takes all messages that fit into one transaction. The previous group must be acknowledged. Returns null after the
   * end.
   */
  async takeGroup(): Promise<readonly JsMsg[] | null> {
    this.#handled = [];
    while (this.#waiting.length === 0) {
      if (this.#hasEnded) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#tellMore = resolve;
      await promise;
    }
    let end = 0;
    for (let events = 0; end < this.#waiting.length && events < this.#eventsTogether; end += 1)
      events += countUsageEvents((this.#waiting[end] as JsMsg).data);
    this.#handled = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    this.#tellRoom();
    return this.#handled;
  }

  /** Reports the messages as in progress, so that the log doesn't redeliver them to another worker. */
  keepAlive(): void {
    for (const message of this.#handled) message.working();
    for (const message of this.#waiting) message.working();
  }
}
