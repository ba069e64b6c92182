/** One window counter in a request to the store. */
export interface WindowQuestion {
  readonly kind: "window";
  readonly key: string;
  readonly maximum: number;
  /** The amount that the call takes; null for a report only. */
  readonly need: number | null;
  /** Unreported amount that this process spent, or returns if negative. */
  readonly owed: number;
  /** Start of the window as known to this process, in the store's time; 0 if unknown. */
  readonly startMs: number;
  /** The amount that this process has taken in the window. A store that lost its data restores its count from it. */
  readonly granted: number;
  /** True if more than the need may be taken, which can then be spent without a query. */
  readonly wantsSlice: boolean;
}

/** One concurrency counter in a request to the store. */
export interface SlotQuestion {
  readonly kind: "slots";
  readonly key: string;
  readonly maximum: number;
  readonly wantsOne: boolean;
  /**
   * `held` is the number of slots of this process. `change` adjusts the store's count while other takes are in flight.
   */
  readonly report: { readonly kind: "held" | "change"; readonly count: number };
}

export type Question = WindowQuestion | SlotQuestion;

/** State of one counter in the store after the request. */
export interface CounterState {
  /** Start of the window, in the store's time; 0 for slots. */
  readonly startMs: number;
  readonly remainingMs: number;
  readonly used: number;
  /** Amount taken in addition to the need, which can be spent without a query. */
  readonly slice: number;
}

export interface SharedAnswer {
  /** Index of the first counter that refused, or null if all were taken. */
  readonly refusedBy: number | null;
  readonly counters: readonly CounterState[];
}

export interface AskSettings {
  readonly windowMs: number;
  readonly slotLeaseMs: number;
}

/** Counters shared by all processes. */
export interface SharedCounters {
  /**
   * Takes the needs of all questions, or nothing. All keys have the same hash tag. Rejects within tens of milliseconds
   * if the store doesn't respond or its response is invalid.
   */
  ask(questions: readonly Question[], settings: AskSettings): Promise<SharedAnswer>;
  /** Resolves when the store can count again. */
  probe(): Promise<void>;
}
