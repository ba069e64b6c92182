import type { SlotQuestion } from "./shared-counters.ts";

/**
 * One owner's concurrent calls in this process. Slots are requested one at a time. They aren't reserved in advance,
 * because slots have no window that ends, so an idle process would withhold its slots from other processes
 * indefinitely.
 */
export class SlotMeter {
  readonly key: string;
  #held = 0;
  /** Number of slots that this process has freed but that the store still counts. */
  #freed = 0;
  #asking = 0;
  /**
   * True after a request without a response. Until the store receives the whole count, it may count slots that are not
   * in use.
   */
  #isUnsure = false;
  /** The total count of all processes in the store's last response. */
  #used = 0;

  constructor(key: string) {
    this.key = key;
  }

  get held(): number {
    return this.#held;
  }

  /** Number of slots in use, as known to this process. */
  get current(): number {
    return Math.max(this.#held, this.#used - this.#freed);
  }

  get isIdle(): boolean {
    return this.#held === 0 && this.#freed === 0 && this.#asking === 0 && !this.#isUnsure;
  }

  /** Reports whether this process's share has a free slot. A share is at least one slot, unless the limit is 0. */
  fitsAlone(maximum: number, processes: number): boolean {
    return this.#held < Math.max(Math.min(1, maximum), Math.floor(maximum / processes));
  }

  hold(): void {
    this.#held += 1;
  }

  free(): void {
    this.#held -= 1;
    this.#freed += 1;
  }

  /**
   * Creates a request to the store. If no other slot request is in flight, it reports the whole count, which restores
   * everything that the store has lost or never received. Otherwise, it reports only the change, because the outcomes
   * of the slot requests in flight are unknown.
   */
  ask(maximum: number, wantsOne: boolean): SlotQuestion {
    const report =
      this.#asking === 0
        ? ({ kind: "held", count: this.#held } as const)
        : ({ kind: "change", count: -this.#freed } as const);
    this.#freed = 0;
    if (wantsOne) this.#asking += 1;
    return { kind: "slots", key: this.key, maximum, wantsOne, report };
  }

  /** Applies the store's response. */
  adopt(question: SlotQuestion, used: number, isTaken: boolean): void {
    if (question.wantsOne) this.#asking -= 1;
    if (isTaken) this.#held += 1;
    if (question.report.kind === "held") this.#isUnsure = false;
    this.#used = used;
  }

  /** Handles a missing response. The next request reports the whole count again. */
  abandon(question: SlotQuestion): void {
    if (question.wantsOne) this.#asking -= 1;
    this.#isUnsure = true;
  }
}
