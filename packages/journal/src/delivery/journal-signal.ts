/** How far a journal is on disk. */
export interface SyncedPosition {
  /** Number of the segment that is being written. Earlier segments are complete. */
  readonly segment: number;
  /** Offset in this segment up to which it is synced. */
  readonly offset: number;
}

/** Reports to a reader what the writer of a journal does, so that the reader doesn't have to look. */
export interface JournalSignal {
  /** Number of the writer's first segment. In earlier segments, every call has been closed by recovery. */
  readonly firstSegment: number;
  /** Returns a number that changes whenever the journal has grown. */
  version(): number;
  /**
   * Returns how far the journal is synced. The reader sees more in the file, but a power failure could still undo it.
   */
  synced(): SyncedPosition;
  /** Calls `wake` once, as soon as the version differs from this one. */
  wait(version: number, wake: () => void): void;
}

/**
 * Reads a position from two words of shared memory: the segment, and the offset in it. The writer of a new segment
 * stores the offset first, so an offset is never combined with a later segment than its own.
 */
export function readSynced(words: Int32Array): SyncedPosition {
  for (;;) {
    const segment = Atomics.load(words, 0);
    const offset = Atomics.load(words, 1);
    if (Atomics.load(words, 0) === segment) return { segment, offset };
  }
}

/** The signal of a journal that never grows, because its process died. Recovery has synced it. */
export const NEVER_GROWS: JournalSignal = {
  firstSegment: Number.POSITIVE_INFINITY,
  version: () => 0,
  synced: () => ({ segment: Number.POSITIVE_INFINITY, offset: 0 }),
  wait: () => {},
};
