import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { MAX_SESSION_LENGTH } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, JournaledCall } from "./journaled-call.ts";
import { laterCounterParts, writeLostAttempts } from "./lost-attempts-block.ts";
import {
  AT_BUDGET_COUNT,
  AT_CHECKPOINT_COST,
  AT_CHECKPOINT_USAGE,
  AT_CHECKSUM,
  AT_COST,
  AT_ENDED,
  AT_EPOCH,
  AT_ERROR_CODE_LENGTH,
  AT_FIRST_TOKEN,
  AT_FROM_LEASE,
  AT_HOLD,
  AT_HTTP_STATUS,
  AT_ID,
  AT_IDENTITY_LENGTH,
  AT_LATENCY,
  AT_LENGTH,
  AT_REQUEST_ID_LENGTH,
  AT_TARGET_LENGTH,
  AT_USAGE,
  AT_WORD,
  BUDGET_FIXED_BYTES,
  CHECKPOINT_BYTES,
  CLOSE_FIXED_BYTES,
  FLAG_BILLED,
  FLAG_ESTIMATED,
  FLAG_MORE,
  FLAG_REQUEST_ID_IS_ID,
  FLAG_STREAM,
  FLAG_TIMES,
  ID_BYTES,
  LABEL_FIXED_BYTES,
  LABEL_SESSION,
  LATER_REPORTED_COST,
  LOSS_BYTES,
  MAX_ATTEMPTS,
  MAX_BUDGETS,
  MAX_END_USER_LENGTH,
  MAX_ERROR_CODE_LENGTH,
  MAX_GROUP_LENGTH,
  MAX_LOST_ATTEMPTS,
  MAX_REQUEST_ID_LENGTH,
  MORE_END_USER,
  MORE_FALLBACK,
  MORE_FIXED_BYTES,
  MORE_LATER,
  MORE_LOSS,
  MORE_LOST_ATTEMPTS,
  NO_ERROR_CODE,
  OPEN_FIXED_BYTES,
  RECORD_MARK,
  REPORTED_COST_BYTES,
  RecordKind,
  SCOPES,
  STATUS_SHIFT,
  STATUSES,
  TIMES_BYTES,
} from "./record-layout.ts";
import { checkpointFlags, counterParts, writeCounters, writeTokens } from "./unit-counters.generated.ts";

/** Buffer for encoding records, with both views created once. */
export interface RecordSpace {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Creates the two views of a buffer. */
export const recordSpace = (bytes: Buffer): RecordSpace => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
});

/**
 * Writes an open record at `offset`. The buffer must have space for the largest record. Returns the offset of the next
 * record.
 */
export function encodeOpen(space: RecordSpace, offset: number, call: JournaledCall): number {
  const { lostAttempts } = call;
  // The limit is one less than for a closing record, because the attempt that this record announces may also be lost.
  if (lostAttempts.length >= MAX_LOST_ATTEMPTS)
    throw new Error(`A request can have at most ${MAX_LOST_ATTEMPTS} lost attempts.`);
  const end = writeCall(space, offset, offset + OPEN_FIXED_BYTES, call, null);
  if (lostAttempts.length === 0) return finish(space, offset, end, RecordKind.open, callFlags(call), call.epoch);
  const attemptsEnd = writeLostAttempts(space.bytes, end, lostAttempts);
  return finish(space, offset, attemptsEnd, RecordKind.reopen, callFlags(call), call.epoch);
}

/** Writes a checkpoint with the current usage and cost of a running call. */
export function encodeCheckpoint(space: RecordSpace, offset: number, id: string, usage: Usage, cost: NanoUsd): number {
  writeId(space, offset + AT_ID, id);
  writeTokens(space.view, offset + AT_CHECKPOINT_USAGE, usage);
  space.view.setBigInt64(offset + AT_CHECKPOINT_COST, cost, true);
  const flags = usage.source === "estimated" ? FLAG_ESTIMATED : 0;
  const end = offset + CHECKPOINT_BYTES - 4;
  const parts = counterParts(usage);
  if (parts === 0) return finish(space, offset, end, RecordKind.checkpoint, flags, 0);
  const countersEnd = writeCounters(space.view, end, usage, parts);
  return finish(space, offset, countersEnd, RecordKind.checkpoint, flags | FLAG_MORE | checkpointFlags(parts), 0);
}

/** Writes a closing record. It repeats the whole call, so that billing doesn't need the open record. */
export function encodeClose(space: RecordSpace, offset: number, call: JournaledCall, facts: ClosingFacts): number {
  const { view } = space;
  view.setBigInt64(offset + AT_COST, facts.cost, true);
  view.setBigInt64(offset + AT_FROM_LEASE, facts.fromLease, true);
  writeTokens(view, offset + AT_USAGE, facts.usage);
  view.setFloat64(offset + AT_ENDED, facts.endedAtMs, true);
  view.setFloat64(offset + AT_LATENCY, facts.latencyMs, true);
  view.setFloat64(offset + AT_FIRST_TOKEN, facts.firstTokenMs ?? Number.NaN, true);
  view.setUint16(offset + AT_HTTP_STATUS, facts.httpStatus, true);
  let end = writeCall(space, offset, offset + CLOSE_FIXED_BYTES, call, facts.budgetShares);
  const errorCodeAt = end;
  if (facts.errorCode !== null) end = writeText(space, end, facts.errorCode, MAX_ERROR_CODE_LENGTH);
  view.setUint16(offset + AT_ERROR_CODE_LENGTH, facts.errorCode === null ? NO_ERROR_CODE : end - errorCodeAt, true);
  const plainEnd = end;
  end = writeMore(space, end, call, facts);
  const moreFlag = end === plainEnd ? 0 : FLAG_MORE;
  const timesAt = end;
  end = writeTimes(view, end, facts);
  const timesFlag = end === timesAt ? 0 : FLAG_TIMES;
  if (facts.session !== null) end = writeLabel(space, end, LABEL_SESSION, facts.session, MAX_SESSION_LENGTH);
  const flags =
    callFlags(call) |
    (STATUSES.indexOf(facts.status) << STATUS_SHIFT) |
    (facts.usage.source === "estimated" ? FLAG_ESTIMATED : 0) |
    moreFlag |
    timesFlag;
  return finish(space, offset, end, RecordKind.close, flags, call.epoch);
}

/** Writes the optional sections, which most calls don't have. */
function writeMore(space: RecordSpace, offset: number, call: JournaledCall, facts: ClosingFacts): number {
  const { usage, attempts, fallbackFrom, endUser, loss } = facts;
  const { lostAttempts } = call;
  const { reportedCost } = usage;
  const counters = counterParts(usage) | (lostAttempts.length === 0 ? 0 : laterCounterParts(lostAttempts));
  const hasLoss = loss > 0n || lostAttempts.length > 0;
  const isPlain = counters === 0 && attempts === 1 && fallbackFrom === null && endUser === null && !hasLoss;
  if (isPlain && reportedCost === undefined) return offset;
  const parts =
    counters |
    (fallbackFrom === null ? 0 : MORE_FALLBACK) |
    (endUser === null ? 0 : MORE_END_USER) |
    (loss > 0n ? MORE_LOSS : 0) |
    (lostAttempts.length > 0 ? MORE_LOST_ATTEMPTS : 0) |
    (reportedCost === undefined ? 0 : MORE_LATER);
  space.view.setUint8(offset, parts);
  space.view.setUint16(offset + 1, Math.min(attempts, MAX_ATTEMPTS), true);
  let end = offset + MORE_FIXED_BYTES;
  if (counters !== 0) end = writeCounters(space.view, end, usage, counters);
  if (fallbackFrom !== null) end = writeSized(space, end, fallbackFrom, MAX_GROUP_LENGTH);
  if (endUser !== null) end = writeSized(space, end, endUser, MAX_END_USER_LENGTH);
  if (loss > 0n) {
    space.view.setBigInt64(end, loss, true);
    end += LOSS_BYTES;
  }
  if (lostAttempts.length > 0) end = writeLostAttempts(space.bytes, end, lostAttempts);
  if (reportedCost !== undefined) {
    space.view.setUint8(end, LATER_REPORTED_COST);
    space.view.setBigInt64(end + 1, reportedCost, true);
    end += REPORTED_COST_BYTES;
  }
  return end;
}

function writeTimes(view: DataView, offset: number, facts: ClosingFacts): number {
  if (facts.gatewayBeforeUs === null) return offset;
  view.setUint32(offset, facts.gatewayBeforeUs, true);
  view.setUint32(offset + 4, facts.queueUs ?? 0, true);
  view.setUint32(offset + 8, facts.failedUs ?? 0, true);
  view.setUint32(offset + 12, facts.gatewayAfterUs ?? 0, true);
  return offset + TIMES_BYTES;
}

function writeLabel(space: RecordSpace, offset: number, tag: number, text: string, maxLength: number): number {
  space.view.setUint8(offset, tag);
  const end = writeText(space, offset + LABEL_FIXED_BYTES, text, maxLength);
  space.view.setUint16(offset + 1, end - offset - LABEL_FIXED_BYTES, true);
  return end;
}

function writeCall(
  space: RecordSpace,
  offset: number,
  variableAt: number,
  call: JournaledCall,
  shares: readonly NanoUsd[] | null,
): number {
  const { bytes, view } = space;
  const { budgets, identity, target } = call;
  if (budgets.length > MAX_BUDGETS) throw new Error(`A request can have at most ${MAX_BUDGETS} budgets.`);
  writeId(space, offset + AT_ID, call.id);
  view.setUint16(offset + AT_IDENTITY_LENGTH, identity.length, true);
  view.setUint16(offset + AT_TARGET_LENGTH, target.length, true);
  view.setUint16(offset + AT_BUDGET_COUNT, budgets.length, true);
  view.setBigInt64(offset + AT_HOLD, call.hold, true);
  let end = variableAt;
  for (let index = 0; index < budgets.length; index += 1)
    end = writeBudget(space, end, budgets[index] as BudgetWindow, shares === null ? 0n : (shares[index] ?? 0n));
  bytes.set(identity, end);
  end += identity.length;
  bytes.set(target, end);
  end += target.length;
  const requestIdAt = end;
  if (call.requestId !== call.id) end = writeText(space, end, call.requestId, MAX_REQUEST_ID_LENGTH);
  view.setUint16(offset + AT_REQUEST_ID_LENGTH, end - requestIdAt, true);
  return end;
}

function writeBudget(space: RecordSpace, offset: number, budget: BudgetWindow, share: NanoUsd): number {
  const { view } = space;
  const end = writeText(space, offset + BUDGET_FIXED_BYTES, budget.scopeId, MAX_REQUEST_ID_LENGTH);
  view.setFloat64(offset, budget.startsAtMs, true);
  view.setFloat64(offset + 8, budget.endsAtMs, true);
  view.setBigInt64(offset + 16, share, true);
  view.setUint8(offset + 24, SCOPES.indexOf(budget.scope));
  view.setUint16(offset + 25, end - offset - BUDGET_FIXED_BYTES, true);
  return end;
}

/** Writes a length-prefixed string. */
function writeSized(space: RecordSpace, offset: number, text: string, maxLength: number): number {
  const end = writeText(space, offset + 2, text, maxLength);
  space.view.setUint16(offset, end - offset - 2, true);
  return end;
}

function writeId({ bytes }: RecordSpace, offset: number, id: string): void {
  if (id.length !== ID_BYTES) throw new Error("A call ID must have 36 characters.");
  for (let index = 0; index < ID_BYTES; index += 1) bytes[offset + index] = id.charCodeAt(index);
}

/** Writes a string. ASCII is copied byte by byte, which is cheaper than a runtime call for short strings. */
function writeText({ bytes }: RecordSpace, offset: number, text: string, maxLength: number): number {
  const length = Math.min(text.length, maxLength);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return offset + bytes.write(text.slice(0, length), offset, "utf8");
    bytes[offset + index] = code;
  }
  return offset + length;
}

function callFlags(call: JournaledCall): number {
  return (
    (call.isStream ? FLAG_STREAM : 0) |
    (call.isBilled ? FLAG_BILLED : 0) |
    (call.requestId === call.id ? FLAG_REQUEST_ID_IS_ID : 0)
  );
}

/** Completes a record. The writer thread adds the checksum, because it depends on the segment. */
function finish(space: RecordSpace, offset: number, end: number, kind: number, flags: number, epoch: number): number {
  const { bytes, view } = space;
  const next = alignUp(end);
  for (let index = end; index < next; index += 1) bytes[index] = 0;
  view.setUint32(offset + AT_WORD, (RECORD_MARK << 16) | (kind << 8) | flags, true);
  view.setUint32(offset + AT_LENGTH, next - offset, true);
  view.setUint32(offset + AT_CHECKSUM, 0, true);
  view.setUint32(offset + AT_EPOCH, epoch, true);
  return next;
}

/** Rounds up to the next record boundary. */
function alignUp(offset: number): number {
  return (offset + 7) & ~7;
}
