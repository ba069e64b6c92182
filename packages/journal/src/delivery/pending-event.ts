import type { ClosedEvent, JournalOrigin } from "./delivery-ports.ts";

/** An event read from the journal and not confirmed by the ledger. Times are monotonic. */
export interface PendingEvent extends ClosedEvent {
  readonly origin: JournalOrigin;
  readonly endedAtMs: number;
  readonly readAtMs: number;
  /** Segments of its closing record; several if a group was rewritten after a disk error. */
  readonly segments: number[];
  /** True if it represents its batch as a canary. */
  isCanary: boolean;
  deliveries: number;
  deliveredAtMs: number;
  /** Number of times the ledger didn't have it since its last delivery. */
  denials: number;
  askAtMs: number;
}
