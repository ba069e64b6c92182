import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import { type CallTimes, NO_TIMES } from "@tollgate/domain/credit/call-times.ts";
import type { BudgetShare, LostAttempt, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, Identity, Target } from "./journaled-call.ts";
import { readLostAttempts } from "./lost-attempts-block.ts";
import { decodeIdentity, decodeTarget } from "./record-blocks.ts";
import {
  AT_BUDGET_COUNT,
  AT_CHECKPOINT_COST,
  AT_CHECKPOINT_USAGE,
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
  MORE_END_USER,
  MORE_FALLBACK,
  MORE_FIXED_BYTES,
  MORE_KNOWN,
  MORE_LATER,
  MORE_LOSS,
  MORE_LOST_ATTEMPTS,
  NO_ERROR_CODE,
  OPEN_FIXED_BYTES,
  REPORTED_COST_BYTES,
  RecordKind,
  SCOPES,
  STATUS_SHIFT,
  STATUSES,
  TIMES_BYTES,
} from "./record-layout.ts";
import { checkpointParts, countersBytes, readCounters } from "./unit-counters.generated.ts";

/** A call as described by its open record. */
export interface RecordedCall {
  readonly id: string;
  readonly identity: Identity;
  readonly target: Target;
  readonly requestId: string;
  readonly isStream: boolean;
  readonly hold: NanoUsd;
  readonly isBilled: boolean;
  readonly epoch: number;
  readonly budgets: readonly BudgetShare[];
  readonly lostAttempts: readonly LostAttempt[];
}

export type JournalRecord =
  | { readonly kind: "open"; readonly call: RecordedCall }
  | { readonly kind: "checkpoint"; readonly id: string; readonly usage: Usage; readonly cost: NanoUsd }
  | { readonly kind: "close"; readonly call: RecordedCall; readonly facts: ClosingFacts };

export type CloseRecord = Extract<JournalRecord, { kind: "close" }>;

/** Returns the length of the record at `offset`, including padding. */
export const recordLengthAt = (bytes: Buffer, offset: number): number => bytes.readUInt32LE(offset + AT_LENGTH);

/** Decodes the record at `offset` of verified bytes. Throws if this version doesn't support the record's kind. */
export function decodeRecord(bytes: Buffer, offset: number): JournalRecord {
  const word = bytes.readUInt32LE(offset + AT_WORD);
  const flags = word & 0xff;
  switch ((word >>> 8) & 0xff) {
    case RecordKind.open:
      return { kind: "open", call: readCall(bytes, offset, flags, offset + OPEN_FIXED_BYTES).call };
    case RecordKind.reopen: {
      const { call, end } = readCall(bytes, offset, flags, offset + OPEN_FIXED_BYTES);
      return { kind: "open", call: { ...call, lostAttempts: readLostAttempts(bytes, end).attempts } };
    }
    case RecordKind.checkpoint:
      return {
        kind: "checkpoint",
        id: readId(bytes, offset),
        usage: readCounters(
          bytes,
          offset + AT_CHECKPOINT_USAGE,
          offset + CHECKPOINT_BYTES - 4,
          (flags & FLAG_MORE) === 0 ? 0 : checkpointParts(flags),
          sourceOf(flags),
        ),
        cost: bytes.readBigInt64LE(offset + AT_CHECKPOINT_COST),
      };
    case RecordKind.close: {
      const { call, end } = readCall(bytes, offset, flags, offset + CLOSE_FIXED_BYTES);
      const { facts, lostAttempts } = readFacts(bytes, offset, flags, end, call);
      return { kind: "close", call: lostAttempts.length === 0 ? call : { ...call, lostAttempts }, facts };
    }
    default:
      throw new Error(`The record at ${offset} has a type that this version does not support.`);
  }
}

/** Converts a closing record to the usage event that the ledger stores. */
export function toUsageEvent({ call, facts }: CloseRecord, nodeId: string): UsageEvent {
  const { identity, target } = call;
  return {
    id: call.id,
    organizationId: identity.organizationId,
    teamId: identity.teamId,
    keyId: identity.keyId,
    userId: identity.userId,
    requestId: call.requestId,
    endpoint: target.endpoint,
    modelGroup: target.modelGroup,
    deploymentId: target.deploymentId,
    provider: target.provider,
    isStream: call.isStream,
    status: facts.status,
    httpStatus: facts.httpStatus,
    errorCode: facts.errorCode,
    usage: facts.usage,
    priceVersionId: target.priceVersionId,
    cost: facts.cost,
    loss: facts.loss,
    lostAttempts: call.lostAttempts,
    isBilled: call.isBilled,
    hold: call.hold,
    fromLease: facts.fromLease,
    budgets: call.budgets,
    nodeId,
    epoch: call.epoch,
    endedAtMs: facts.endedAtMs,
    latencyMs: facts.latencyMs,
    firstTokenMs: facts.firstTokenMs,
    attempts: facts.attempts,
    fallbackFrom: facts.fallbackFrom,
    endUser: facts.endUser,
    session: facts.session,
    gatewayBeforeUs: facts.gatewayBeforeUs,
    queueUs: facts.queueUs,
    failedUs: facts.failedUs,
    gatewayAfterUs: facts.gatewayAfterUs,
  };
}

function readCall(
  bytes: Buffer,
  offset: number,
  flags: number,
  variableAt: number,
): { call: RecordedCall; end: number } {
  const id = readId(bytes, offset);
  const { budgets, end: identityAt } = readBudgets(bytes, variableAt, bytes.readUInt16LE(offset + AT_BUDGET_COUNT));
  const targetAt = identityAt + bytes.readUInt16LE(offset + AT_IDENTITY_LENGTH);
  const requestIdAt = targetAt + bytes.readUInt16LE(offset + AT_TARGET_LENGTH);
  const end = requestIdAt + bytes.readUInt16LE(offset + AT_REQUEST_ID_LENGTH);
  const call: RecordedCall = {
    id,
    identity: decodeIdentity(bytes.subarray(identityAt, targetAt)),
    target: decodeTarget(bytes.subarray(targetAt, requestIdAt)),
    requestId: (flags & FLAG_REQUEST_ID_IS_ID) === 0 ? bytes.toString("utf8", requestIdAt, end) : id,
    isStream: (flags & FLAG_STREAM) !== 0,
    hold: bytes.readBigInt64LE(offset + AT_HOLD),
    isBilled: (flags & FLAG_BILLED) !== 0,
    epoch: bytes.readUInt32LE(offset + AT_EPOCH),
    budgets,
    lostAttempts: NO_LOST_ATTEMPTS,
  };
  return { call, end };
}

function readBudgets(bytes: Buffer, at: number, count: number): { budgets: BudgetShare[]; end: number } {
  const budgets: BudgetShare[] = [];
  let offset = at;
  for (let index = 0; index < count; index += 1) {
    const scopeIdAt = offset + BUDGET_FIXED_BYTES;
    const end = scopeIdAt + bytes.readUInt16LE(offset + 25);
    budgets.push({
      scope: SCOPES[bytes.readUInt8(offset + 24)] as BudgetScope,
      scopeId: bytes.toString("utf8", scopeIdAt, end),
      startsAtMs: bytes.readDoubleLE(offset),
      endsAtMs: bytes.readDoubleLE(offset + 8),
      fromLease: bytes.readBigInt64LE(offset + 16),
    });
    offset = end;
  }
  return { budgets, end: offset };
}

function readFacts(
  bytes: Buffer,
  offset: number,
  flags: number,
  errorCodeAt: number,
  call: RecordedCall,
): { facts: ClosingFacts; lostAttempts: readonly LostAttempt[] } {
  const errorCodeLength = bytes.readUInt16LE(offset + AT_ERROR_CODE_LENGTH);
  const firstTokenMs = bytes.readDoubleLE(offset + AT_FIRST_TOKEN);
  const errorCodeEnd = errorCodeLength === NO_ERROR_CODE ? errorCodeAt : errorCodeAt + errorCodeLength;
  const more = (flags & FLAG_MORE) === 0 ? NO_MORE : readMore(bytes, errorCodeEnd);
  const times = (flags & FLAG_TIMES) === 0 ? NO_TIMES : readTimes(bytes, more.end ?? errorCodeEnd);
  const labelsAt = (more.end ?? errorCodeEnd) + ((flags & FLAG_TIMES) === 0 ? 0 : TIMES_BYTES);
  const session = findSession(bytes, labelsAt, offset + recordLengthAt(bytes, offset));
  const counters: Usage = readCounters(bytes, offset + AT_USAGE, more.countersAt, more.parts, sourceOf(flags));
  const facts: ClosingFacts = {
    status: STATUSES[(flags >>> STATUS_SHIFT) & 3] as ClosingFacts["status"],
    httpStatus: bytes.readUInt16LE(offset + AT_HTTP_STATUS),
    errorCode: errorCodeLength === NO_ERROR_CODE ? null : bytes.toString("utf8", errorCodeAt, errorCodeEnd),
    usage: more.reportedCost === null ? counters : { ...counters, reportedCost: more.reportedCost },
    cost: bytes.readBigInt64LE(offset + AT_COST),
    loss: more.loss,
    fromLease: bytes.readBigInt64LE(offset + AT_FROM_LEASE),
    budgetShares: call.budgets.map((budget) => budget.fromLease),
    endedAtMs: bytes.readDoubleLE(offset + AT_ENDED),
    latencyMs: bytes.readDoubleLE(offset + AT_LATENCY),
    firstTokenMs: Number.isNaN(firstTokenMs) ? null : firstTokenMs,
    attempts: more.attempts,
    fallbackFrom: more.fallbackFrom,
    endUser: more.endUser,
    session: session === null ? null : bytes.toString("utf8", session.start, session.end),
    gatewayBeforeUs: times.gatewayBeforeUs,
    queueUs: times.queueUs,
    failedUs: times.failedUs,
    gatewayAfterUs: times.gatewayAfterUs,
  };
  return { facts, lostAttempts: more.lostAttempts };
}

const NO_LOST_ATTEMPTS: readonly LostAttempt[] = [];

interface More extends Pick<ClosingFacts, "attempts" | "fallbackFrom" | "endUser" | "loss"> {
  readonly lostAttempts: readonly LostAttempt[];
  readonly reportedCost: NanoUsd | null;
  /** Section flags. */
  readonly parts: number;
  /** Offset of the counters that the section flags announce. */
  readonly countersAt: number;
  /** End offset of the section; null if the section is absent. */
  readonly end: number | null;
}

const NO_MORE: More = {
  attempts: 1,
  fallbackFrom: null,
  endUser: null,
  loss: 0n,
  lostAttempts: NO_LOST_ATTEMPTS,
  reportedCost: null,
  parts: 0,
  countersAt: 0,
  end: null,
};

function readMore(bytes: Buffer, at: number): More {
  const parts = bytes.readUInt8(at);
  if ((parts & ~MORE_KNOWN) !== 0) throw new Error("The record has a part that only a later release supports.");
  const countersAt = at + MORE_FIXED_BYTES;
  let offset = countersAt + countersBytes(parts);
  const readSized = (): string => {
    const start = offset + 2;
    offset = start + bytes.readUInt16LE(offset);
    return bytes.toString("utf8", start, offset);
  };
  const fallbackFrom = (parts & MORE_FALLBACK) === 0 ? null : readSized();
  const endUser = (parts & MORE_END_USER) === 0 ? null : readSized();
  const loss = (parts & MORE_LOSS) === 0 ? 0n : bytes.readBigInt64LE(offset);
  if ((parts & MORE_LOSS) !== 0) offset += LOSS_BYTES;
  const lost = (parts & MORE_LOST_ATTEMPTS) === 0 ? null : readLostAttempts(bytes, offset);
  const laterAt = lost?.end ?? offset;
  const hasLater = (parts & MORE_LATER) !== 0;
  return {
    attempts: bytes.readUInt16LE(at + 1),
    fallbackFrom,
    endUser,
    loss,
    lostAttempts: lost?.attempts ?? NO_LOST_ATTEMPTS,
    reportedCost: hasLater ? readReportedCost(bytes, laterAt) : null,
    parts,
    countersAt,
    end: hasLater ? laterAt + REPORTED_COST_BYTES : laterAt,
  };
}

/** Reads the sections of the second flags byte: only the reported cost in this release. */
export function readReportedCost(bytes: Buffer, at: number): NanoUsd {
  if (bytes.readUInt8(at) !== LATER_REPORTED_COST)
    throw new Error("The record has a part that only a later release supports.");
  return bytes.readBigInt64LE(at + 1);
}

function readTimes(bytes: Buffer, at: number): CallTimes {
  return {
    gatewayBeforeUs: bytes.readUInt32LE(at),
    queueUs: bytes.readUInt32LE(at + 4),
    failedUs: bytes.readUInt32LE(at + 8),
    gatewayAfterUs: bytes.readUInt32LE(at + 12),
  };
}

/** Returns the bounds of the session in the labels between these offsets; null if the call has no session. */
export function findSession(bytes: Buffer, at: number, recordEnd: number): { start: number; end: number } | null {
  let offset = at;
  // Padding is shorter than a label or begins with 0.
  while (offset + LABEL_FIXED_BYTES <= recordEnd && bytes[offset] !== 0) {
    const start = offset + LABEL_FIXED_BYTES;
    const end = start + bytes.readUInt16LE(offset + 1);
    if (end > recordEnd) throw new Error("The record's labels are longer than the record.");
    if (bytes[offset] === LABEL_SESSION) return { start, end };
    offset = end;
  }
  return null;
}

const sourceOf = (flags: number): Usage["source"] => ((flags & FLAG_ESTIMATED) === 0 ? "reported" : "estimated");

const readId = (bytes: Buffer, offset: number): string =>
  bytes.toString("latin1", offset + AT_ID, offset + AT_ID + ID_BYTES);
