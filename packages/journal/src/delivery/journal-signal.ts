/** Reports to a reader what the writer of a journal does, so that the reader doesn't have to look. */
export interface JournalSignal {
  /** Number of the writer's first segment. In earlier segments, every call has been closed by recovery. */
  readonly firstSegment: number;
  /** Returns a number that changes whenever the journal has grown. */
  version(): number;
  /** Calls `wake` once, as soon as the version differs from this one. */
  wait(version: number, wake: () => void): void;
}

/** The signal of a journal that never grows, because its process died. */
export const NEVER_GROWS: JournalSignal = {
  firstSegment: Number.POSITIVE_INFINITY,
  version: () => 0,
  wait: () => {},
};
