import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { CloseRecord, RecordedCall } from "./decode-record.ts";
import type { ClosingFacts } from "./journaled-call.ts";
import type { ScannedRecord } from "./scan-segment.ts";

export interface Recovered {
  /** Closing records to write for calls that were in flight when the process died, based on their last checkpoint. */
  readonly closings: readonly CloseRecord[];
  /** All organization events that the ledger may not have yet, including the closing records. */
  readonly pending: readonly PendingEvent[];
}

interface Checkpoint {
  readonly usage: Usage;
  readonly cost: NanoUsd;
}

/** Error code of a call whose gateway stopped before the call ended. */
const GATEWAY_STOPPED = "gateway_stopped";

/** Finds the calls that a dead process left open, segment by segment from the oldest unfinished segment. */
export class Recovery {
  readonly #running = new Map<string, RecordedCall>();
  readonly #checkpoints = new Map<string, Checkpoint>();
  readonly #closed = new Set<string>();
  readonly #pending: PendingEvent[] = [];

  /**
   * Adds records. Done segments after the first unfinished segment are also required, because they may close earlier
   * calls.
   */
  add(records: readonly ScannedRecord[], isDone: boolean): void {
    for (const { record } of records) {
      if (record.kind === "close") this.#close(record, isDone);
      else if (record.kind === "open") this.#open(record.call);
      else this.#checkpoints.set(record.id, record);
    }
  }

  /** Ended calls added so far. */
  get pending(): readonly PendingEvent[] {
    return this.#pending;
  }

  /** Returns the result. No records may be added afterward. */
  finish(endedAtMs: number): Recovered {
    const closings = [...this.#running.values()].map((call) =>
      closeFromCheckpoint(call, this.#checkpoints.get(call.id) ?? null, endedAtMs),
    );
    return { closings, pending: [...this.#pending, ...closings.flatMap(toPending)] };
  }

  /** Handles an open record. A group rewritten after an error appears twice, possibly with the open record last. */
  #open(call: RecordedCall): void {
    if (this.#closed.has(call.id)) return;
    // The number of lost attempts only grows, so a record with fewer lost attempts is an older record that was written
    // again.
    const known = this.#running.get(call.id);
    if (known !== undefined && known.lostAttempts.length > call.lostAttempts.length) return;
    this.#running.set(call.id, call);
    // The call moved to another deployment, so usage counted for the previous deployment, which didn't respond, is not
    // charged.
    this.#checkpoints.delete(call.id);
  }

  #close(record: CloseRecord, isDone: boolean): void {
    const { id } = record.call;
    if (this.#closed.has(id)) return;
    this.#closed.add(id);
    this.#running.delete(id);
    this.#checkpoints.delete(id);
    if (!isDone) this.#pending.push(...toPending(record));
  }
}

/**
 * Closes a call without a known end. The call is charged according to its last checkpoint. If it has no checkpoint, it
 * is free.
 */
function closeFromCheckpoint(call: RecordedCall, checkpoint: Checkpoint | null, endedAtMs: number): CloseRecord {
  const cost = checkpoint?.cost ?? 0n;
  const share = smaller(cost, call.hold);
  const facts: ClosingFacts = {
    status: "failure",
    httpStatus: 500,
    errorCode: GATEWAY_STOPPED,
    usage: checkpoint === null ? NO_USAGE : { ...checkpoint.usage, source: "estimated" },
    cost,
    // A call that is not billed didn't use leased credit.
    fromLease: call.isBilled ? share : 0n,
    budgetShares: call.budgets.map(() => share),
    endedAtMs,
    latencyMs: 0,
    firstTokenMs: null,
    ...OMITTED_FIELDS,
  };
  const budgets = call.budgets.map((budget) => ({ ...budget, fromLease: share }));
  return { kind: "close", call: { ...call, budgets }, facts };
}

/** Returns the pending event; empty for the operator's own key, which has no lease. */
function toPending({ call, facts }: CloseRecord): PendingEvent[] {
  const { organizationId } = call.identity;
  if (organizationId === null) return [];
  const budgets = call.budgets.map(({ fromLease, ...window }) => ({ window, fromLease }));
  return [{ id: call.id, organizationId, epoch: call.epoch, fromLease: facts.fromLease, budgets }];
}

function smaller(left: NanoUsd, right: NanoUsd): NanoUsd {
  if (left < right) return left;
  return right;
}
