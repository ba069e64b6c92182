import type { EventLogOptions } from "@tollgate/event-log/usage-publisher.ts";
import type { DeliveryStep } from "@tollgate/journal/delivery/delivery-ports.ts";

/** Where events go: straight into the ledger, or by a log. */
export type Carrier = { readonly kind: "direct" } | ({ readonly kind: "jetstream" } & EventLogOptions);

export interface DeliveredJournal {
  readonly directory: string;
  /** Whether this process still writes to it; else it was left behind by a process that died. */
  readonly isLive: boolean;
}

/** What the thread is started with. */
export interface DeliveryThreadData {
  readonly connectionString: string;
  readonly carrier: Carrier;
  readonly journals: readonly DeliveredJournal[];
}

export type DeliveryCommand =
  | { readonly kind: "wake" }
  | { readonly kind: "adopt"; readonly directory: string }
  /** No journal is written to any more: tell when everything is confirmed. */
  | { readonly kind: "drain" }
  | { readonly kind: "redeliver" }
  | { readonly kind: "stop" };

export type DeliveryMessage =
  | { readonly kind: "report"; readonly oldestUnconfirmedAtMs: number | null; readonly backlog: number }
  | { readonly kind: "drained" }
  | { readonly kind: "trouble"; readonly step: DeliveryStep; readonly error: Error }
  | { readonly kind: "damage"; readonly directory: string; readonly segment: number; readonly position: number };
