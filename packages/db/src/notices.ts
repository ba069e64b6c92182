import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { type ChannelListener, listenToChannel } from "./listen-to-channel.ts";

/** Something that a process may have cached is no longer so. `everything` means that notices may have been missed. */
export type Notice =
  | { readonly kind: "key"; readonly id: string; readonly hashes: readonly string[] }
  | { readonly kind: "team"; readonly id: string }
  | { readonly kind: "organization"; readonly id: string }
  /** Idle credit of a purse is wanted back: there is no more of it, and someone waits. */
  | { readonly kind: "recall"; readonly organizationId: string; readonly recall: number; readonly purse: RecalledPurse }
  /** An organization has more credit than before. */
  | { readonly kind: "credit"; readonly organizationId: string }
  /** Models or providers of the catalogue were changed. */
  | { readonly kind: "catalogue" }
  | { readonly kind: "everything" };

export type RecalledPurse =
  | { readonly kind: "credit" }
  | ({ readonly kind: "budget" } & Pick<BudgetWindow, "scope" | "scopeId" | "startsAtMs">);

/** The version of a notice stands in `v`; those of version 1 say nothing, as releases before this one write them. */
const NOTICE_VERSION = 1;

/**
 * What a notice says. One of a later version may mean anything, so that everything is read anew; a kind that is only new
 * is for later releases and leaves this one alone.
 */
export function readChangeNotification(payload: string): Notice {
  try {
    const { v = NOTICE_VERSION, ...notice } = JSON.parse(payload) as Notice & { readonly v?: number };
    if (v <= NOTICE_VERSION) return notice as Notice;
  } catch {
    // Not ours, or cut: whatever it was about, nothing that is remembered can be relied on.
  }
  return { kind: "everything" };
}

/** Hears every notice for as long as it is not closed: `onLost` tells of a broken connection, which is made again with growing pauses. */
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
