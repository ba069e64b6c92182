import type { SlotQuestion } from "./shared-counters.ts";

/**
 * The calls at once that this process has under way for one owner. Slots are asked for one by one: an idle process that
 * kept some in stock would starve the others for as long as it idles, because no window ends that.
 */
export class SlotMeter {
  readonly key: string;
  #held = 0;
  /** Freed here, and still counted by the store. */
  #freed = 0;
  #asking = 0;
  /** A question got no answer, so the store may count what is not held, until it hears the whole count. */
  #isUnsure = false;
  /** The count over all processes as last seen. */
  #used = 0;

  constructor(key: string) {
    this.key = key;
  }

  get held(): number {
    return this.#held;
  }

  /** What is in use, as far as this process knows. */
  get current(): number {
    return Math.max(this.#held, this.#used - this.#freed);
  }

  get isIdle(): boolean {
    return this.#held === 0 && this.#freed === 0 && this.#asking === 0 && !this.#isUnsure;
  }

  /** Whether the share of one process has room. A share is never less than one slot. */
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
   * The question for the store. With no take on its way it names the whole count, which puts right whatever the store
   * has lost or never heard; otherwise only the difference, because the answers to those takes are not known.
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

  /** Takes over what the store said. */
  adopt(question: SlotQuestion, used: number, isTaken: boolean): void {
    if (question.wantsOne) this.#asking -= 1;
    if (isTaken) this.#held += 1;
    if (question.report.kind === "held") this.#isUnsure = false;
    this.#used = used;
  }

  /** The store did not answer; the next question names the whole count again. */
  abandon(question: SlotQuestion): void {
    if (question.wantsOne) this.#asking -= 1;
    this.#isUnsure = true;
  }
}
