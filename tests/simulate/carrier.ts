import type { Random } from "../random.ts";
import type { Scheduler } from "./scheduler.ts";

const REDELIVER_AFTER_MS = 30_000;

interface Message<Batch> {
  readonly batch: Batch;
  state: "waiting" | "given" | "acknowledged";
  /** Number of deliveries, used to keep the acknowledgment timeout of an old delivery from revoking a newer one. */
  deliveries: number;
}

/** Simulated event log: delivers batches at least once and roughly in order, until it is erased. */
export class Carrier<Batch> {
  #messages: Message<Batch>[] = [];
  #waiters: (() => void)[] = [];
  readonly #scheduler: Scheduler;
  readonly #random: Random;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  publish(batch: Batch): void {
    this.#messages.push({ batch, state: "waiting", deliveries: 0 });
    this.#tellWaiters();
  }

  /** Resolves when a message may be available. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Returns a message to settle and a function that acknowledges it after the commit; null if there is no message. */
  take(): { readonly batch: Batch; readonly acknowledge: () => void } | null {
    const waiting = this.#messages.filter((message) => message.state === "waiting");
    if (waiting.length === 0) return null;
    const message = this.#random.chance(0.8) ? (waiting[0] as Message<Batch>) : this.#random.pick(waiting);
    message.state = "given";
    message.deliveries += 1;
    const delivery = message.deliveries;
    this.#scheduler.after(REDELIVER_AFTER_MS, () => {
      if (message.state !== "given" || message.deliveries !== delivery) return;
      message.state = "waiting";
      this.#tellWaiters();
    });
    return {
      batch: message.batch,
      acknowledge: () => {
        // The acknowledgment can also get lost.
        if (this.#random.chance(0.02)) return;
        message.state = "acknowledged";
        this.#messages = this.#messages.filter((other) => other.state !== "acknowledged");
      },
    };
  }

  /** Some messages are redelivered even though they were settled. */
  repeat(count: number): void {
    for (const message of this.#messages.slice(0, count)) this.publish(message.batch);
  }

  erase(): void {
    this.#messages = [];
  }

  #tellWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const tell of waiters) tell();
  }
}
