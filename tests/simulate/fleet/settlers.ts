import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { FleetLedger } from "./fleet-ledger.ts";
import type { FleetTime } from "./fleet-time.ts";

/** Number of events at which a transaction stops taking messages. */
const EVENTS_TOGETHER = 1_000;
/** Time that a message waits for others if the transaction isn't full. */
const GATHER_MS = 200;

interface Worker {
  messages: { readonly events: readonly UsageEvent[]; readonly dueMs: number }[];
  events: number;
  isBusy: boolean;
}

/** Workers that settle messages from the log, each one transaction at a time. */
export class Settlers {
  readonly #ledger: FleetLedger;
  readonly #time: FleetTime;
  readonly #workers: readonly Worker[];
  #next = 0;

  constructor(ledger: FleetLedger, time: FleetTime, workers: number) {
    this.#ledger = ledger;
    this.#time = time;
    this.#workers = Array.from({ length: workers }, () => ({ messages: [], events: 0, isBusy: false }));
  }

  /** Adds a message, which the next worker settles with others. */
  add(events: readonly UsageEvent[]): void {
    const worker = this.#workers[this.#next++ % this.#workers.length] as Worker;
    worker.messages.push({ events, dueMs: this.#time.nowMs + GATHER_MS });
    worker.events += events.length;
    if (worker.isBusy) return;
    worker.isBusy = true;
    void this.#work(worker);
  }

  async #work(worker: Worker): Promise<void> {
    for (let first = worker.messages[0]; first !== undefined; first = worker.messages[0]) {
      const waitMs = first.dueMs - this.#time.nowMs;
      // A transaction that fills up before that is settled a little later than by a real worker.
      if (worker.events < EVENTS_TOGETHER && waitMs > 0) await this.#time.answerAfter(waitMs, () => {});
      let [end, count] = [0, 0];
      while (end < worker.messages.length && count < EVENTS_TOGETHER)
        count += worker.messages[end++]?.events.length ?? 0;
      const group = worker.messages.slice(0, end).flatMap(({ events }) => events);
      worker.messages = worker.messages.slice(end);
      worker.events -= count;
      await this.#ledger.settle(group);
    }
    worker.isBusy = false;
  }
}
