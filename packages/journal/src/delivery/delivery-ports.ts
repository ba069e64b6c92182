/** Whose records a segment holds: the process run that wrote it. */
export interface JournalOrigin {
  readonly nodeId: string;
  readonly epoch: number;
}

/** What delivery needs to know of a record. `bytes` is the closing record as it was written. */
export type JournalEntry =
  | { readonly kind: "open"; readonly id: string }
  | { readonly kind: "close"; readonly id: string; readonly endedAtMs: number; readonly bytes: Uint8Array };

/** The next part of one segment. */
export interface JournalChunk {
  readonly segment: number;
  readonly origin: JournalOrigin;
  readonly entries: readonly JournalEntry[];
  /** Whether nothing will ever be added to this segment: a later one exists, or the journal is closed. */
  readonly endsSegment: boolean;
}

/** A journal that is read once from its oldest unfinished segment on, while it is being written. */
export interface JournalSource {
  /** What follows the last answer, with about `limit` closing records at most; null when nothing was added yet. */
  read(limit: number): Promise<JournalChunk | null>;
  /** Every event of the segment is in the ledger: it may be removed when its time has come. */
  finish(segment: number): Promise<void>;
  /** Goes back to the oldest segment that still exists, finished or not. Never called while a read is under way. */
  rewind(): void;
}

export interface ClosedEvent {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Events of one origin that travel together. A batch that is sent again because its fate is unknown keeps its id. */
export interface EventBatch {
  readonly id: string;
  readonly origin: JournalOrigin;
  readonly events: readonly ClosedEvent[];
}

/** `settled`: the ledger has these. `carried`: someone promised to bring them there, which proves nothing yet. */
export type DeliveryAnswer =
  | { readonly kind: "settled"; readonly ids: readonly string[] }
  | { readonly kind: "carried" };

/** The way to the ledger: the settle function itself, or a log that workers read. */
export interface EventLog {
  deliver(batch: EventBatch): Promise<DeliveryAnswer>;
}

/** Which of these the ledger holds, settled or parked. */
export interface Confirmation {
  knownEvents(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface DeliveryClock {
  /** Never goes back, whatever happens to the time of day. */
  monotonicMs(): number;
  /** Calls back once after that long; the answer cancels it. */
  after(ms: number, work: () => void): () => void;
}

export interface DeliveryPorts {
  readonly source: JournalSource;
  readonly eventLog: EventLog;
  readonly confirmation: Confirmation;
  readonly clock: DeliveryClock;
  readonly makeBatchId: () => string;
  /** Something failed and will be tried again. */
  readonly onTrouble: (step: DeliveryStep, error: unknown) => void;
}

export type DeliveryStep = "read" | "deliver" | "confirm" | "finish";
