// cspell:ignore purse catalogue
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { type ChannelListener, listenToChannel } from "./listen-to-channel.ts";

/** A change that invalidates cached data. `everything` means that notifications may have been missed. */
export type Notice =
  | { readonly kind: "key"; readonly id: string; readonly hashes: readonly string[] }
  | { readonly kind: "team"; readonly id: string }
  | { readonly kind: "organization"; readonly id: string }
  /** A user's role or membership has changed. */
  | { readonly kind: "user"; readonly id: string }
  /** Asks gateways to return an allowance's idle credit, because the allowance is exhausted and a hold is waiting. */
  | {
      readonly kind: "recall";
      readonly organizationId: string;
      readonly recall: number;
      readonly allowance: RecalledAllowance;
      /** The nodes that are asked; null for all. */
      readonly nodes: readonly string[] | null;
    }
  /** An organization has received credit. */
  | { readonly kind: "credit"; readonly organizationId: string }
  /** Models or providers in the catalog were changed. */
  | { readonly kind: "catalog" }
  | { readonly kind: "everything" };

type RecalledAllowance =
  | { readonly kind: "credit" }
  | ({ readonly kind: "budget" } & Pick<BudgetWindow, "scope" | "scopeId" | "startsAtMs">);

type Recall = Extract<Notice, { readonly kind: "recall" }>;

/** A recall in the database's format. `lease-credit.ts` explains why the SQL names differ. Debits have no `nodes`. */
type StoredRecall = Omit<Recall, "allowance" | "nodes"> & {
  readonly purse: RecalledAllowance;
  readonly nodes?: readonly string[] | null;
};

type StoredNotice =
  | Exclude<Notice, Recall | { readonly kind: "catalog" }>
  | StoredRecall
  | { readonly kind: "catalogue" };

/**
 * Current notification version, sent in the field `v`. Version 1 has no such field, because earlier releases don't send
 * it.
 */
const NOTICE_VERSION = 1;

/**
 * Parses a notification. A notification in a later version could have any meaning, so it invalidates all cached data.
 * An unknown kind of notification in the current version is ignored.
 */
export function readChangeNotification(payload: string): Notice {
  try {
    const { v = NOTICE_VERSION, ...notice } = JSON.parse(payload) as StoredNotice & { readonly v?: number };
    if (v <= NOTICE_VERSION) return readNotice(notice);
  } catch {
    // The notification is truncated or not from Tollgate. Its meaning is unknown, so no cached data can be trusted.
  }
  return { kind: "everything" };
}

function readNotice(notice: StoredNotice): Notice {
  if (notice.kind === "catalogue") return { kind: "catalog" };
  if (notice.kind !== "recall") return notice;
  const { kind, organizationId, recall, purse, nodes = null } = notice;
  return { kind, organizationId, recall, allowance: purse, nodes };
}

/**
 * Receives all notifications until closed. `onLost` reports a broken connection, which is reestablished with
 * exponential backoff.
 */
export function listenForNotices(
  connectionString: string,
  onNotice: (notice: Notice) => void,
  onLost: (error: Error) => void,
): ChannelListener {
  return listenToChannel(connectionString, "tollgate_notice", {
    onPayload: (payload) => onNotice(readChangeNotification(payload)),
    onLost,
    onReturn: () => onNotice({ kind: "everything" }),
  });
}
