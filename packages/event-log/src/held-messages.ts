import type { JsMsg } from "@nats-io/jetstream";
import { countUsageEvents } from "./usage-batch.ts";

export interface HeldMessagesOptions {
  /** Number of events, and of messages, at which no more messages are added. */
  readonly maxEvents: number;
  readonly maxMessages: number;
  /** Number of events at which a group is complete. */
  readonly eventsTogether: number;
  /** Time that a message waits for others, to be settled with them. */
  readonly gatherMs: number;
}

type HeldMessage = Pick<JsMsg, "data" | "working">;

/** Messages that this process has received from the log and not acknowledged yet. */
export class HeldMessages<Message extends HeldMessage = JsMsg> {
  readonly #options: HeldMessagesOptions;
  #waiting: Message[] = [];
  #waitingEvents = 0;
  /** True if the first waiting message has waited long enough. */
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;
  #handled: readonly Message[] = [];
  #hasEnded = false;
  #tellRoom: () => void = () => {};
  #tellMore: () => void = () => {};

  constructor(options: HeldMessagesOptions) {
    this.#options = options;
  }

  /** Resolves when there is capacity for another message. */
  async add(message: Message): Promise<void> {
    this.#waiting.push(message);
    this.#waitingEvents += countUsageEvents(message.data);
    this.#gather();
    this.#tellMore();
    const { maxEvents, maxMessages } = this.#options;
    if (this.#waitingEvents < maxEvents && this.#waiting.length < maxMessages) return;
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
   * Takes all messages that fit into one transaction, once they fill it or the first of them has waited long enough. The
   * previous group must be acknowledged. Returns null after the end.
   */
  async takeGroup(): Promise<readonly Message[] | null> {
    this.#handled = [];
    while (!this.#isComplete()) {
      if (this.#hasEnded && this.#waiting.length === 0) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#tellMore = resolve;
      await promise;
    }
    let [end, events] = [0, 0];
    for (; end < this.#waiting.length && events < this.#options.eventsTogether; end += 1)
      events += countUsageEvents((this.#waiting[end] as Message).data);
    this.#handled = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    this.#waitingEvents -= events;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#isDue = false;
    if (this.#waiting.length > 0) this.#gather();
    this.#tellRoom();
    return this.#handled;
  }

  /** Reports the messages as in progress, so that the log doesn't redeliver them to another worker. */
  keepAlive(): void {
    for (const message of this.#handled) message.working();
    for (const message of this.#waiting) message.working();
  }

  #isComplete(): boolean {
    const { eventsTogether, maxMessages } = this.#options;
    if (this.#waitingEvents >= eventsTogether || this.#waiting.length >= maxMessages) return true;
    return this.#waiting.length > 0 && (this.#isDue || this.#hasEnded);
  }

  #gather(): void {
    this.#timer ??= setTimeout(() => {
      this.#isDue = true;
      this.#tellMore();
    }, this.#options.gatherMs);
  }
}
