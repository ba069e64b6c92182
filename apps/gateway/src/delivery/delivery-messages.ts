import type { EventLogOptions } from "@tollgate/event-log/usage-publisher.ts";
import type { DeliveryStep } from "@tollgate/journal/delivery/delivery-ports.ts";

/** Destination of events: the ledger itself or a message log. */
export type Carrier = { readonly kind: "direct" } | ({ readonly kind: "jetstream" } & EventLogOptions);

/** What delivery needs to know about the journal that this process writes to. */
export interface JournalWriter {
  readonly news: Int32Array<SharedArrayBuffer>;
  /** How far the journal is synced, for `readSynced`. */
  readonly synced: Int32Array<SharedArrayBuffer>;
  readonly firstSegment: number;
}

export interface DeliveredJournal {
  readonly directory: string;
  /** The writer, if this process writes to the journal; null if the journal belongs to a process that died. */
  readonly writer: JournalWriter | null;
}

/** Start parameters of the thread. */
export interface DeliveryThreadData {
  readonly connectionString: string;
  readonly carrier: Carrier;
  readonly journals: readonly DeliveredJournal[];
}

export type DeliveryCommand =
  | { readonly kind: "adopt"; readonly directory: string }
  /** Sent after all journals are closed. The thread must report when every event is confirmed. */
  | { readonly kind: "drain" }
  | { readonly kind: "redeliver" }
  | { readonly kind: "stop" };

export type DeliveryMessage =
  | { readonly kind: "report"; readonly oldestUnconfirmedAtMs: number | null; readonly backlog: number }
  | { readonly kind: "drained" }
  | { readonly kind: "trouble"; readonly step: DeliveryStep; readonly error: Error }
  | { readonly kind: "damage"; readonly directory: string; readonly segment: number; readonly position: number };
