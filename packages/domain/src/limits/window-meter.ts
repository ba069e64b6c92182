import type { CounterState, WindowQuestion } from "./shared-counters.ts";

/** A request in flight, and the number of its window. */
export interface PendingWindow {
  readonly question: WindowQuestion;
  readonly window: number;
}

/**
 * The state of one window counter in this process. `slice` was taken from the shared count and can be spent without a
 * query. `owed` was spent here and is not in the shared count yet. Times are in milliseconds on this process's
 * monotonic clock.
 */
export class WindowMeter {
  readonly key: string;
  /** Set while one call fetches a slice that other calls can wait for. Resolves to true if the store responded. */
  refill: Promise<boolean> | null = null;
  /**
   * True if the last response granted no slice because the shared count is near the limit. Near the limit, a slice
   * would withhold too much from other processes.
   */
  isNear = false;
  /**
   * True while a request in flight asks for a slice. Only one request at a time asks for a slice, so that a burst
   * doesn't take many slices.
   */
  #isSliceAsked = false;
  spentAtMs = 0;
  endsAtMs = Number.POSITIVE_INFINITY;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  #slice = 0;
  #owed = 0;
  /** The part of the amount owed that requests in flight are reporting. */
  #reporting = 0;
  #granted = 0;
  /** The shared count in the store's last response. */
  #used = 0;
  #startMs = 0;
  /** Number of the window, so that a late response doesn't affect the next window. */
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

  /** The shared count in the store's last response, plus the amount that this process has spent since. */
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

  /** Resets a window that has ended. */
  roll(nowMs: number): void {
    if (nowMs >= this.endsAtMs) this.#reset();
  }

  /** Reports whether the slice covers a call. A call that needs nothing still requires a slice of at least 1. */
  hasSlice(need: number, nowMs: number): boolean {
    this.roll(nowMs);
    return this.#slice >= Math.max(need, 1);
  }

  spendSlice(need: number, nowMs: number): void {
    this.#slice -= need;
    this.spentAtMs = nowMs;
  }

  /** Returns the amount that this process may still spend while it counts alone, as one of `processes`. */
  leftAlone(maximum: number, processes: number): number {
    const share = Math.floor((maximum - this.#used) / processes);
    return this.#slice + Math.max(0, share - this.#owed - this.#reporting);
  }

  /**
   * Reports whether a call fits into this process's share. A call that is larger than the share is admitted only as the
   * first call of a window, and its window then lasts longer.
   */
  fitsAlone(need: number, maximum: number, processes: number, nowMs: number): boolean {
    this.roll(nowMs);
    const wanted = Math.max(need, 1);
    return this.leftAlone(maximum, processes) >= wanted || (this.#isUntouched() && wanted <= maximum);
  }

  /** Spends from the slice and then from the share. Call it only after `fitsAlone`. */
  spendAlone(need: number, maximum: number, processes: number, windowMs: number, nowMs: number): void {
    const overdraft = Math.max(need, 1) - this.leftAlone(maximum, processes);
    const range = overdraft > 0 ? Math.max(1, (Math.max(need, 1) * processes) / maximum) : 1;
    this.charge(need, nowMs);
    this.begin(windowMs * range, nowMs);
  }

  /** Counts usage that exceeds the amount reserved at admission. */
  charge(amount: number, nowMs: number): void {
    this.roll(nowMs);
    const fromSlice = Math.min(amount, this.#slice);
    this.#slice -= fromSlice;
    this.#owed += amount - fromSlice;
    this.spentAtMs = nowMs;
  }

  /** Releases the unused part of a call's amount, if the amount was reserved in the current window. */
  giveBack(amount: number, takenAtMs: number, nowMs: number): void {
    this.roll(nowMs);
    if (!this.hasWindow || takenAtMs < this.#beganAtMs) return;
    if (this.isNear) this.#owed -= amount;
    else this.#slice += amount;
  }

  /** Returns the unspent part of the slice to the store, so that other processes can use it. */
  returnSlice(): void {
    this.#owed -= this.#slice;
    this.#slice = 0;
  }

  /** Starts a local window, unless a window is running. */
  begin(lengthMs: number, nowMs: number): void {
    if (this.hasWindow) return;
    this.#beganAtMs = nowMs;
    this.endsAtMs = nowMs + lengthMs;
  }

  /**
   * Creates a request to the store. The owed amount is part of this request until `adopt` or `abandon` is called
   * with the outcome.
   */
  ask(maximum: number, need: number | null): PendingWindow {
    const question: WindowQuestion = {
      kind: "window",
      key: this.key,
      maximum,
      need,
      owed: this.#owed,
      startMs: this.#startMs,
      // Excludes an amount that is being returned, because the store may already have removed it from its count.
      granted: this.#granted + Math.min(0, this.#reporting),
      wantsSlice: need !== null && !this.#isSliceAsked,
    };
    if (question.wantsSlice) this.#isSliceAsked = true;
    this.#reporting += this.#owed;
    this.#owed = 0;
    return { question, window: this.#window };
  }

  /**
   * Applies the store's response. `taken` is the amount that the store reserved for the call: the needed amount, or 0
   * for a refusal or a report.
   */
  adopt(asked: PendingWindow, state: CounterState, taken: number, nowMs: number): void {
    this.roll(nowMs);
    // The store returns the window that this process knows until that window ends. A later start, or no window, means
    // that the window has ended. A window that only this process counts continues.
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

  /**
   * Handles a missing response. The reported amount is owed again. If the store had already counted the amount, it
   * counts twice, so the limit is stricter but never exceeded.
   */
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
