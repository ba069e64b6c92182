import type { ClosedEvent, JournalOrigin } from "./delivery-ports.ts";

/** An event that was read from the journal but is not yet confirmed by the ledger. Times are monotonic. */
export interface PendingEvent extends ClosedEvent {
  readonly origin: JournalOrigin;
  readonly endedAtMs: number;
  readonly readAtMs: number;
  /** Segments that contain the event's closing record; several if a group was rewritten after a disk error. */
  readonly segments: number[];
  /** True if the event is one of its batch's canaries. */
  isCanary: boolean;
  deliveries: number;
  deliveredAtMs: number;
  /** Number of ledger queries since the last delivery that didn't find the event. */
  denials: number;
  askAtMs: number;
}
