import type { JsMsg } from "@nats-io/jetstream";
import { countUsageEvents } from "./usage-batch.ts";

/** Messages that this process has taken from the log and not yet spoken for. */
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

  /** Resolves when there is room for another. */
  async add(message: JsMsg): Promise<void> {
    this.#waiting.push(message);
    this.#tellMore();
    if (this.#waiting.length < this.#limit) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tellRoom = resolve;
    await promise;
  }

  /** Nothing will be added any more. */
  end(): void {
    this.#hasEnded = true;
    this.#tellMore();
  }

  /** All that is there, as far as it fits into one transaction; the last group was spoken for. Null after the end. */
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

  /** Tells the log that they are being worked on, so that it gives them to nobody else. */
  keepAlive(): void {
    for (const message of this.#handled) message.working();
    for (const message of this.#waiting) message.working();
  }
}
