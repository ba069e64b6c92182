import type { Random } from "../random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Delays and error rates of a network. */
export interface NetworkQuality {
  readonly usualDelayMs: number;
  readonly longDelayMs: number;
  readonly longDelayChance: number;
  readonly lossChance: number;
  readonly duplicateChance: number;
}

const TIMEOUT_MS = 2_000;

/** A connection from a process to the ledger. Messages can be late, lost, or duplicated, and responses can get lost. */
export class Link {
  /** True if no requests, responses, or notifications get through. */
  isCut = false;
  /** True if everything gets through, quickly and once. */
  isPerfect = false;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #quality: NetworkQuality;

  constructor(scheduler: Scheduler, random: Random, quality: NetworkQuality) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#quality = quality;
  }

  /** Sends a request. If the promise rejects, the work may have been done, may still be done, or may never be done. */
  ask<Answer>(process: SimulatedProcess, work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const cancel = process.after(TIMEOUT_MS, () => reject(new Error("no answer in time")));
      const arrive = () => {
        if (this.isCut) return;
        let answer: Answer;
        try {
          answer = work();
        } catch (error) {
          this.#travel(() => process.enter(() => reject(error instanceof Error ? error : new Error(String(error)))));
          return;
        }
        this.#travel(() => {
          if (this.isCut) return;
          process.enter(() => {
            cancel();
            resolve(answer);
          });
        });
      };
      if (this.isCut) return;
      this.#travel(arrive);
      if (!this.isPerfect && this.#random.chance(this.#quality.duplicateChance)) this.#travel(arrive);
    });
  }

  /** Sends a notification, which may get lost. */
  tell(process: SimulatedProcess, work: () => void): void {
    this.#travel(() => {
      if (!this.isCut) process.enter(work);
    });
  }

  #travel(arrive: () => void): void {
    if (!this.isPerfect && this.#random.chance(this.#quality.lossChance)) return;
    const isLong = !this.isPerfect && this.#random.chance(this.#quality.longDelayChance);
    const mostMs = isLong ? this.#quality.longDelayMs : this.#quality.usualDelayMs;
    this.#scheduler.after(0.05 + this.#random.next() * mostMs, arrive);
  }
}
