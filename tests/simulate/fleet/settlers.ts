import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { FleetLedger } from "./fleet-ledger.ts";

/** Number of events at which a transaction stops taking messages. */
const EVENTS_TOGETHER = 1_000;

/** Workers that settle messages from the log, each one transaction at a time. */
export class Settlers {
  readonly #ledger: FleetLedger;
  #messages: (readonly UsageEvent[])[] = [];
  #idle: number;

  constructor(ledger: FleetLedger, workers: number) {
    this.#ledger = ledger;
    this.#idle = workers;
  }

  /** Adds a message, which an idle worker settles immediately. */
  add(events: readonly UsageEvent[]): void {
    this.#messages.push(events);
    if (this.#idle === 0) return;
    this.#idle -= 1;
    void this.#work();
  }

  async #work(): Promise<void> {
    while (this.#messages.length > 0) {
      let [end, count] = [0, 0];
      while (end < this.#messages.length && count < EVENTS_TOGETHER) count += this.#messages[end++]?.length ?? 0;
      const group = this.#messages.slice(0, end).flat();
      this.#messages = this.#messages.slice(end);
      await this.#ledger.settle(group);
    }
    this.#idle += 1;
  }
}
