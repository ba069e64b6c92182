import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { smaller } from "./ledger/amounts.ts";
import type { LedgerRows } from "./ledger/rows.ts";
import type { CallRecord, Witness } from "./witness.ts";

/**
 * Compares the clients' and the upstream's records with the ledger, to check that no call is lost, duplicated, or
 * invented.
 */
export function checkCalls(witness: Witness, rows: LedgerRows): string[] {
  const wrong: string[] = [];
  for (const call of witness.calls.values()) {
    const event = rows.events.get(call.id)?.event ?? null;
    const complaint =
      event === null
        ? judgeMissing(call)
        : (judgeFacts(call, event) ?? judgeCost(call, event.cost) ?? judgeLosses(call, event));
    if (complaint !== null) wrong.push(`call ${call.id} of ${call.directory.nodeId} (${call.state}): ${complaint}`);
  }
  for (const id of rows.events.keys()) if (!witness.calls.has(id)) wrong.push(`event ${id} is of no call`);
  return wrong;
}

function judgeMissing(call: CallRecord): string | null {
  if (call.directory.isLost || call.state === "denied" || call.state === "waiting") return null;
  if (call.state === "completed") return "its client has the answer and the ledger has no event";
  return call.isOpenSynced ? "its open record was on disk and the ledger has no event" : null;
}

/** Checks the event's fields other than its cost, because other sums rely on them. */
function judgeFacts(call: CallRecord, event: UsageEvent): string | null {
  if (event.organizationId !== call.organizationId) return `it is charged to ${event.organizationId}`;
  if (event.nodeId !== call.directory.nodeId) return `its event names ${event.nodeId}`;
  const covered = smaller(event.cost, event.hold);
  if (event.fromLease !== covered) return `its event takes ${event.fromLease} from its lease instead of ${covered}`;
  const share = event.budgets.find(({ fromLease }) => fromLease !== covered);
  return share === undefined ? null : `its event takes ${share.fromLease} from ${share.scopeId} instead of ${covered}`;
}

/** Checks that every attempt at the operator's expense is in the event, if the attempt's announcement is on disk. */
function judgeLosses(call: CallRecord, { lostAttempts }: UsageEvent): string | null {
  const lost = lostAttempts.reduce((sum, { cost }) => sum + cost, 0n);
  if (lost > call.lost) return `the operator pays ${lost} for ${call.lost} lost`;
  const least = call.state === "completed" ? call.lost : call.syncedLost;
  return lost >= least ? null : `the operator pays ${lost} although ${least} were lost`;
}

function judgeCost(call: CallRecord, cost: bigint): string | null {
  if (call.state === "denied" || call.state === "waiting") return "it was never admitted and has an event";
  if (call.state === "completed")
    return cost === call.closedCost ? null : `it cost ${call.closedCost} and was charged ${cost}`;
  if (cost > call.delivered) return `it was charged ${cost} for ${call.delivered} delivered`;
  return cost >= call.syncedCost ? null : `it was charged ${cost} although a checkpoint said ${call.syncedCost}`;
}
