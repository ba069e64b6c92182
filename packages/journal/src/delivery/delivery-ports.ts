import type { RecordRange } from "./record-range.ts";

/** The process run that wrote a segment. */
export interface JournalOrigin {
  readonly nodeId: string;
  readonly epoch: number;
}

/** The next part of one segment. */
export interface JournalChunk {
  readonly segment: number;
  readonly origin: JournalOrigin;
  /**
   * IDs of the calls that this part opens, `ID_BYTES` each, without calls that recovery has closed. A call may also be
   * closed in the same part.
   */
  readonly opened: Buffer;
  /** Closing records. Their memory belongs to the receiver. */
  readonly closed: RecordRange;
  /**
   * True if the segment was already done when this delivery started. The ledger has its events. It is read only for its
   * closing records, which may close calls of an earlier segment.
   */
  readonly isDone: boolean;
  /** True if the segment is complete: a later segment exists, or the journal is closed. */
  readonly endsSegment: boolean;
  /** True if more records can be read immediately. */
  readonly hasMore: boolean;
}

/** Reads a journal once from its oldest unfinished segment, while it is being written. */
export interface JournalSource {
  /** Returns the next records, with at most `limit` closing records, or null if there are no new records yet. */
  read(limit: number): Promise<JournalChunk | null>;
  /**
   * Calls `wake` once, when the journal has grown since the last read that returned null. Until then, nothing runs. A
   * call replaces the previous one.
   */
  whenGrown(wake: () => void): void;
  /** Marks a segment whose events are all in the ledger, so that retention can delete it. */
  finish(segment: number): Promise<void>;
  /** Rewinds to the oldest existing segment, finished or not. Never called while a read is in flight. */
  rewind(): void;
}

/** Events from one origin, sent together. A batch resent because its outcome is unknown keeps its ID. */
export interface EventBatch {
  readonly id: string;
  readonly origin: JournalOrigin;
  readonly ranges: readonly RecordRange[];
  /** Number of events in all ranges. */
  readonly count: number;
}

/**
 * `settled`: the ledger has all events of the batch. `carried`: a log accepted them, and the ledger has not confirmed
 * all of them.
 */
export type DeliveryAnswer = "settled" | "carried";

/** Route to the ledger: the settle function itself, or a log that workers consume. */
export interface EventLog {
  deliver(batch: EventBatch): Promise<DeliveryAnswer>;
}

export interface Confirmation {
  /**
   * Returns the positions, from 0, of the events that the ledger doesn't have, neither settled nor parked. `ids` are
   * event IDs, separated by commas.
   */
  findMissing(ids: string): Promise<readonly number[]>;
}

export interface DeliveryClock {
  /** Monotonic time, independent of the wall clock. */
  monotonicMs(): number;
  /** Runs the work once after this delay. The returned function cancels the work. */
  after(ms: number, work: () => void): () => void;
}

export interface DeliveryPorts {
  readonly source: JournalSource;
  readonly eventLog: EventLog;
  readonly confirmation: Confirmation;
  readonly clock: DeliveryClock;
  readonly makeBatchId: () => string;
  /** Called when events were read. */
  readonly onBacklog: () => void;
  /** Called when a step has failed and will be retried. */
  readonly onTrouble: (step: DeliveryStep, error: unknown) => void;
}

export type DeliveryStep = "read" | "deliver" | "confirm" | "finish";
