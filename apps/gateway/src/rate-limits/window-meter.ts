import type { CounterState, WindowQuestion } from "./shared-counters.ts";

/** A question on its way, and the window it was asked in. */
export interface PendingWindow {
  readonly question: WindowQuestion;
  readonly window: number;
}

/**
 * What this process knows of one window counter. `slice` was taken from the shared count and can be spent without
 * asking; `owed` was spent here and is not in the shared count yet. Times are monotonic milliseconds of this process.
 */
export class WindowMeter {
  readonly key: string;
  /** Set while one call fetches a slice that others can wait for; resolves to whether the store answered. */
  refill: Promise<boolean> | null = null;
  /** The last answer gave no slice: too little is left to keep some of it from other processes. */
  isNear = false;
  /** A question on its way asks for a slice. One at a time, so that a burst does not take many of them. */
  #isSliceAsked = false;
  spentAtMs = 0;
  endsAtMs = Number.POSITIVE_INFINITY;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  #slice = 0;
  #owed = 0;
  /** The part of what is owed that a question has carried off, not yet answered. */
  #reporting = 0;
  #granted = 0;
  /** The shared count as last seen. */
  #used = 0;
  #startMs = 0;
  /** Counts windows, so that an answer that comes after its window does not touch the next one. */
  #window = 0;

  constructor(key: string) {
    this.key = key;
  }

  get slice(): number {
    return this.#slice;
  }

  get owed(): number {
    return this.#owed;
  }

  /** The shared count as last seen, with what was spent here since. */
  get current(): number {
    return Math.max(0, this.#used + this.#owed + this.#reporting - this.#slice);
  }

  get hasWindow(): boolean {
    return this.endsAtMs !== Number.POSITIVE_INFINITY;
  }

  remainingMs(nowMs: number): number {
    return this.hasWindow ? Math.max(0, this.endsAtMs - nowMs) : 0;
  }

  get isIdle(): boolean {
    return !this.hasWindow && this.refill === null && this.#owed === 0 && this.#reporting === 0;
  }

  /** Forgets a window that has ended. */
  roll(nowMs: number): void {
    if (nowMs >= this.endsAtMs) this.#reset();
  }

  /** Whether the slice covers a call. One that takes nothing yet still needs room for something. */
  hasSlice(need: number, nowMs: number): boolean {
    this.roll(nowMs);
    return this.#slice >= Math.max(need, 1);
  }

  spendSlice(need: number, nowMs: number): void {
    this.#slice -= need;
    this.spentAtMs = nowMs;
  }

  /** How much more this process may spend while it counts alone, as one of `processes`. */
  leftAlone(maximum: number, processes: number): number {
    const share = Math.floor((maximum - this.#used) / processes);
    return this.#slice + Math.max(0, share - this.#owed - this.#reporting);
  }

  /** Whether a call fits the share. One that no share can hold is let through when nothing else was; it pays with time. */
  fitsAlone(need: number, maximum: number, processes: number, nowMs: number): boolean {
    this.roll(nowMs);
    const wanted = Math.max(need, 1);
    return this.leftAlone(maximum, processes) >= wanted || (this.#isUntouched() && wanted <= maximum);
  }

  /** Spends from the slice and then from the share; to be asked only after `fitsAlone`. */
  spendAlone(need: number, maximum: number, processes: number, windowMs: number, nowMs: number): void {
    const overdraft = Math.max(need, 1) - this.leftAlone(maximum, processes);
    const range = overdraft > 0 ? Math.max(1, (Math.max(need, 1) * processes) / maximum) : 1;
    this.charge(need, nowMs);
    this.begin(windowMs * range, nowMs);
  }

  /** Counts what was used beyond what was taken. */
  charge(amount: number, nowMs: number): void {
    this.roll(nowMs);
    const fromSlice = Math.min(amount, this.#slice);
    this.#slice -= fromSlice;
    this.#owed += amount - fromSlice;
    this.spentAtMs = nowMs;
  }

  /** Takes back what a call did not use, if that was taken in this window. */
  giveBack(amount: number, takenAtMs: number, nowMs: number): void {
    this.roll(nowMs);
    if (!this.hasWindow || takenAtMs < this.#beganAtMs) return;
    if (this.isNear) this.#owed -= amount;
    else this.#slice += amount;
  }

  /** Puts what is left of the slice where other processes can have it. */
  returnSlice(): void {
    this.#owed -= this.#slice;
    this.#slice = 0;
  }

  /** Starts a window of its own, unless one is running. */
  begin(lengthMs: number, nowMs: number): void {
    if (this.hasWindow) return;
    this.#beganAtMs = nowMs;
    this.endsAtMs = nowMs + lengthMs;
  }

  /** The question for the store. What is owed travels with it, until `adopt` or `abandon` says how that went. */
  ask(maximum: number, need: number | null): PendingWindow {
    const question: WindowQuestion = {
      kind: "window",
      key: this.key,
      maximum,
      need,
      owed: this.#owed,
      startMs: this.#startMs,
      // What is being given back at this moment may be off the store's record already.
      granted: this.#granted + Math.min(0, this.#reporting),
      wantsSlice: need !== null && !this.#isSliceAsked,
    };
    if (question.wantsSlice) this.#isSliceAsked = true;
    this.#reporting += this.#owed;
    this.#owed = 0;
    return { question, window: this.#window };
  }

  /** Takes over what the store said, with what it took for the call: its need, or 0 when it refused or only heard. */
  adopt(asked: PendingWindow, state: CounterState, taken: number, nowMs: number): void {
    this.roll(nowMs);
    // The store tells this process its window back as long as it runs, so a later start, or none, means that it has
    // ended. A window that was counted here alone, which the store has not heard of yet, goes on.
    if (this.#startMs !== 0 && (state.startMs === 0 || state.startMs > this.#startMs)) this.#reset();
    if (asked.window === this.#window) {
      this.#reporting -= asked.question.owed;
      this.#granted += asked.question.owed;
    }
    if (asked.question.wantsSlice) {
      this.#isSliceAsked = false;
      this.isNear = state.slice === 0;
    }
    if (state.startMs === 0) return;
    if (!this.hasWindow) this.#beganAtMs = nowMs;
    this.endsAtMs = nowMs + state.remainingMs;
    this.#startMs = state.startMs;
    this.#used = state.used;
    this.#slice += state.slice;
    this.#granted += taken + state.slice;
  }

  /** The store did not answer: what was owed still is. If it did count it, it counts it twice, which is the safe side. */
  abandon(asked: PendingWindow): void {
    if (asked.question.wantsSlice) this.#isSliceAsked = false;
    if (asked.window !== this.#window) return;
    this.#reporting -= asked.question.owed;
    this.#owed += asked.question.owed;
  }

  #isUntouched(): boolean {
    return this.#used === 0 && this.#owed === 0 && this.#reporting === 0;
  }

  #reset(): void {
    this.#slice = 0;
    this.#owed = 0;
    this.#reporting = 0;
    this.#granted = 0;
    this.#used = 0;
    this.#startMs = 0;
    this.#window += 1;
    this.isNear = false;
    this.endsAtMs = Number.POSITIVE_INFINITY;
    this.#beganAtMs = Number.NEGATIVE_INFINITY;
  }
}
