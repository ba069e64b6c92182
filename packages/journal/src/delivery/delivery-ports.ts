/** The process run that wrote a segment. */
export interface JournalOrigin {
  readonly nodeId: string;
  readonly epoch: number;
}

/** The fields of a record that delivery needs. `bytes` is the closing record as written. */
export type JournalEntry =
  | { readonly kind: "open"; readonly id: string }
  | { readonly kind: "close"; readonly id: string; readonly endedAtMs: number; readonly bytes: Uint8Array };

/** The next part of one segment. */
export interface JournalChunk {
  readonly segment: number;
  readonly origin: JournalOrigin;
  readonly entries: readonly JournalEntry[];
  /** True if the segment is complete: a later segment exists, or the journal is closed. */
  readonly endsSegment: boolean;
}

/** Reads a journal once from its oldest unfinished segment, while it is being written. */
export interface JournalSource {
  /** Returns the next records, with at most `limit` closing records, or null if there are no new records yet. */
  read(limit: number): Promise<JournalChunk | null>;
  /** Marks a segment whose events are all in the ledger, so that retention can delete it. */
  finish(segment: number): Promise<void>;
  /** Rewinds to the oldest existing segment, finished or not. Never called while a read is in flight. */
  rewind(): void;
}

export interface ClosedEvent {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Events from one origin, sent together. A batch resent because its outcome is unknown keeps its ID. */
export interface EventBatch {
  readonly id: string;
  readonly origin: JournalOrigin;
  readonly events: readonly ClosedEvent[];
}

/**
 * `settled`: the ledger has these events. `carried`: a log accepted the events, but the ledger has not confirmed them.
 */
export type DeliveryAnswer =
  | { readonly kind: "settled"; readonly ids: readonly string[] }
  | { readonly kind: "carried" };

/** Route to the ledger: the settle function itself, or a log that workers consume. */
export interface EventLog {
  deliver(batch: EventBatch): Promise<DeliveryAnswer>;
}

/** Returns which of these events are in the ledger, either settled or parked. */
export interface Confirmation {
  knownEvents(ids: readonly string[]): Promise<ReadonlySet<string>>;
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
  /** Called when a step has failed and will be retried. */
  readonly onTrouble: (step: DeliveryStep, error: unknown) => void;
}

export type DeliveryStep = "read" | "deliver" | "confirm" | "finish";
