import type { ClosedEvent, JournalOrigin } from "./delivery-ports.ts";

/** An event that was read from the journal and that the ledger has not confirmed. Times are monotonic. */
export interface PendingEvent extends ClosedEvent {
  readonly origin: JournalOrigin;
  readonly endedAtMs: number;
  readonly readAtMs: number;
  /** Where its closing record stands; more than once when a group was written again after a disk error. */
  readonly segments: number[];
  /** Stands for its batch among those that are asked for again later. */
  isCanary: boolean;
  deliveries: number;
  deliveredAtMs: number;
  /** How often the ledger said that it does not have it, since it was last delivered. */
  denials: number;
  askAtMs: number;
}
