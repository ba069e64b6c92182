/** Reports to a reader that a journal has grown, so that the reader doesn't have to look. */
export interface JournalSignal {
  /** Returns a number that changes whenever the journal has grown. */
  version(): number;
  /** Calls `wake` once, as soon as the version differs from this one. */
  wait(version: number, wake: () => void): void;
}

/** The signal of a journal that never grows, because its process died. */
export const NEVER_GROWS: JournalSignal = { version: () => 0, wait: () => {} };
