import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { toUsageEvent } from "./decode-record.ts";
import type { ClosingFacts, JournaledCall } from "./journaled-call.ts";
import { decodeIdentity, decodeTarget } from "./record-blocks.ts";

/** Builds the usage event for a call that has ended, for use without a journal. */
export function usageEventOf(call: JournaledCall, facts: ClosingFacts, nodeId: string): UsageEvent {
  const budgets = call.budgets.map((window, index) => ({ ...window, fromLease: facts.budgetShares[index] ?? 0n }));
  const identity = decodeIdentity(Buffer.from(call.identity));
  const target = decodeTarget(Buffer.from(call.target));
  return toUsageEvent({ kind: "close", call: { ...call, identity, target, budgets }, facts }, nodeId);
}
