/** One window counter in a question to the store. */
export interface WindowQuestion {
  readonly kind: "window";
  readonly key: string;
  readonly maximum: number;
  /** What the call takes; null when the question only reports. */
  readonly need: number | null;
  /** What this process spent, or gives back if negative, without having told the store. */
  readonly owed: number;
  /** The start of the window as this process knows it, in the store's time; 0 if it knows none. */
  readonly startMs: number;
  /** What this process has taken in that window; a store that lost its memory gets it back from here. */
  readonly granted: number;
  /** Whether more may be taken than the call needs, to be spent without asking. */
  readonly wantsSlice: boolean;
}

/** One counter of calls at once in a question to the store. */
export interface SlotQuestion {
  readonly kind: "slots";
  readonly key: string;
  readonly maximum: number;
  readonly wantsOne: boolean;
  /** `held` says how many slots this process has; `change` adds to what the store thinks, while other takes are on their way. */
  readonly report: { readonly kind: "held" | "change"; readonly count: number };
}

export type Question = WindowQuestion | SlotQuestion;

/** The store's side of one counter after the question. */
export interface CounterState {
  /** Of the window, in the store's time; 0 for slots. */
  readonly startMs: number;
  readonly remainingMs: number;
  readonly used: number;
  /** Taken on top of the need, to be spent without asking. */
  readonly slice: number;
}

export interface SharedAnswer {
  /** The index of the first question that did not fit, or null when all were taken. */
  readonly refusedBy: number | null;
  readonly counters: readonly CounterState[];
}

export interface AskSettings {
  readonly windowMs: number;
  readonly slotLeaseMs: number;
}

/** Counters that all processes share. */
export interface SharedCounters {
  /**
   * Takes what every question needs, or nothing. All keys carry the same hash tag. Rejects in tens of milliseconds when
   * the store does not answer or answers nonsense.
   */
  ask(questions: readonly Question[], settings: AskSettings): Promise<SharedAnswer>;
  /** Resolves when the store can count again. */
  probe(): Promise<void>;
}
