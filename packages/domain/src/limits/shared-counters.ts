/** One window counter in a request to the store. */
export interface WindowQuestion {
  readonly kind: "window";
  readonly key: string;
  readonly maximum: number;
  /** The amount that the call needs; null if the request only reports `owed`. */
  readonly need: number | null;
  /** Amount that this process has spent but not reported yet. If negative, the process returns this amount. */
  readonly owed: number;
  /** Start of the window as known to this process, in the store's time; 0 if unknown. */
  readonly startMs: number;
  /**
   * The amount that this process has reserved in the window. If the store loses its data, its count is restored from
   * this amount.
   */
  readonly granted: number;
  /** True if the store may grant a slice in addition to the need. The process can spend the slice without a query. */
  readonly wantsSlice: boolean;
}

/** One concurrency counter in a request to the store. */
export interface SlotQuestion {
  readonly kind: "slots";
  readonly key: string;
  readonly maximum: number;
  readonly wantsOne: boolean;
  /**
   * `held` reports the number of slots that this process uses. `change` adjusts the store's count while other slot
   * requests are in flight.
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
  /** Amount granted in addition to the need. The process can spend it without a query. */
  readonly slice: number;
}

export interface SharedAnswer {
  /** Index of the first counter that refused the call, or null if all needed amounts were reserved. */
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
   * Reserves the needed amount in every counter, or nothing if a counter refuses the call. All keys must have the same
   * hash tag. Rejects within tens of milliseconds if the store doesn't respond or its response is invalid.
   */
  ask(questions: readonly Question[], settings: AskSettings): Promise<SharedAnswer>;
  /** Resolves once the store can count again. */
  probe(): Promise<void>;
}
