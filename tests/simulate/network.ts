import type { Random } from "../random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** How bad a network is. */
export interface NetworkQuality {
  readonly usualDelayMs: number;
  readonly longDelayMs: number;
  readonly longDelayChance: number;
  readonly lossChance: number;
  readonly duplicateChance: number;
}

const TIMEOUT_MS = 2_000;

/** The way from a process to the books, where a message may be late, lost, doubled, or answered in vain. */
export class Link {
  /** Neither requests nor answers nor notices get through. */
  isCut = false;
  /** Everything gets through, soon and once. */
  isPerfect = false;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #quality: NetworkQuality;

  constructor(scheduler: Scheduler, random: Random, quality: NetworkQuality) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#quality = quality;
  }

  /** Asks the other side. A rejection says nothing about whether it was done, now or later. */
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

  /** Tells the process something, perhaps. */
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
