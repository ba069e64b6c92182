import { NO_TIMES } from "@tollgate/domain/credit/call-times.ts";
import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { CloseRecord, RecordedCall } from "./decode-record.ts";
import type { ClosingFacts } from "./journaled-call.ts";
import type { ScannedRecord } from "./scan-segment.ts";

export interface Recovered {
  /** Calls that were running when the process died, closed as far as their last checkpoint knows. To be written. */
  readonly closings: readonly CloseRecord[];
  /** Every event of an organization that the ledger may not have yet, the closings included. */
  readonly pending: readonly PendingEvent[];
}

interface Checkpoint {
  readonly usage: Usage;
  readonly cost: NanoUsd;
}

/** What a call is called in the books when its gateway stopped before it ended. */
export const GATEWAY_STOPPED = "gateway_stopped";

/** Finds out, segment by segment from the oldest that is not done, which calls a dead process left behind. */
export class Recovery {
  readonly #running = new Map<string, RecordedCall>();
  readonly #checkpoints = new Map<string, Checkpoint>();
  readonly #closed = new Set<string>();
  readonly #pending: PendingEvent[] = [];

  /** Done segments behind the first that is not are given too: they may close calls that an earlier one opened. */
  add(records: readonly ScannedRecord[], isDone: boolean): void {
    for (const { record } of records) {
      if (record.kind === "close") this.#close(record, isDone);
      else if (record.kind === "open") this.#open(record.call);
      else this.#checkpoints.set(record.id, record);
    }
  }

  /** The ended calls that were added. */
  get pending(): readonly PendingEvent[] {
    return this.#pending;
  }

  /** All that is left over. Nothing may be added afterwards. */
  finish(endedAtMs: number): Recovered {
    const closings = [...this.#running.values()].map((call) =>
      closeFromCheckpoint(call, this.#checkpoints.get(call.id) ?? null, endedAtMs),
    );
    return { closings, pending: [...this.#pending, ...closings.flatMap(toPending)] };
  }

  /** A group that was written again after an error is there twice, perhaps the open record behind the closing one. */
  #open(call: RecordedCall): void {
    if (this.#closed.has(call.id)) return;
    // Lost attempts only become more, so a record with fewer of them is an earlier one that was written again.
    const known = this.#running.get(call.id);
    if (known !== undefined && known.lostAttempts.length > call.lostAttempts.length) return;
    this.#running.set(call.id, call);
    // It went on to another deployment: what was counted of the one before, which did not answer, is not charged for.
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

/** A call that nobody saw the end of: charged what its last checkpoint had counted, nothing without one. */
function closeFromCheckpoint(call: RecordedCall, checkpoint: Checkpoint | null, endedAtMs: number): CloseRecord {
  const cost = checkpoint?.cost ?? 0n;
  const share = smaller(cost, call.hold);
  const facts: ClosingFacts = {
    status: "failure",
    httpStatus: 500,
    errorCode: GATEWAY_STOPPED,
    usage: checkpoint === null ? NO_USAGE : { ...checkpoint.usage, source: "estimated" },
    cost,
    loss: 0n,
    // A call that no credit pays for took nothing of the credit's lease.
    fromLease: call.isBilled ? share : 0n,
    budgetShares: call.budgets.map(() => share),
    endedAtMs,
    latencyMs: 0,
    firstTokenMs: null,
    attempts: 1,
    fallbackFrom: null,
    endUser: null,
    ...NO_TIMES,
  };
  const budgets = call.budgets.map((budget) => ({ ...budget, fromLease: share }));
  return { kind: "close", call: { ...call, budgets }, facts };
}

/** Nothing for a call of the operator's own key: no lease was ever taken for it. */
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
