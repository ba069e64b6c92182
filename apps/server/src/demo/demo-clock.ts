import { setTimeout as pause } from "node:timers/promises";
import type { DatedStep } from "@tollgate/db/demo/date-history.ts";

/** Runs the steps of a history one after another, and notes to which time each of them belongs. */
export class DemoClock {
  readonly #steps: DatedStep[] = [];

  /** Everything that was run, for `dateHistory`. */
  get steps(): readonly DatedStep[] {
    return this.#steps;
  }

  /** Runs work that belongs to this time. No other step may be running. */
  async run<T>(atMs: number, work: (now: Date) => Promise<T>): Promise<T> {
    const fromMs = Date.now();
    const result = await work(new Date(atMs));
    const toMs = Date.now() + 1;
    this.#steps.push({ fromMs, toMs, atMs });
    // Two steps must not share a millisecond, because a recorded time would belong to both.
    while (Date.now() < toMs) await pause(1);
    return result;
  }
}
