import { isPlainUsage } from "@tollgate/domain/pricing/units.generated.ts";
import { findSession, readReportedCost } from "../decode-record.ts";
import { readLostAttempts } from "../lost-attempts-block.ts";
import {
  AT_BUDGET_COUNT,
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
  AT_REQUEST_ID_LENGTH,
  AT_TARGET_LENGTH,
  AT_USAGE,
  AT_WORD,
  BUDGET_FIXED_BYTES,
  CLOSE_FIXED_BYTES,
  FLAG_BILLED,
  FLAG_ESTIMATED,
  FLAG_MORE,
  FLAG_REQUEST_ID_IS_ID,
  FLAG_STREAM,
  FLAG_TIMES,
  ID_BYTES,
  LOSS_BYTES,
  MORE_END_USER,
  MORE_FALLBACK,
  MORE_FIXED_BYTES,
  MORE_KNOWN,
  MORE_LATER,
  MORE_LOSS,
  MORE_LOST_ATTEMPTS,
  NO_ERROR_CODE,
  REPORTED_COST_BYTES,
  RecordKind,
  SCOPES,
  STATUS_SHIFT,
  STATUSES,
  TIMES_BYTES,
} from "../record-layout.ts";
import { countersBytes, MORE_COUNTERS, readCounters } from "../unit-counters.generated.ts";
import { type JsonBuffer, jsonOf, literal } from "./json-buffer.ts";
import { PreparedNames } from "./prepared-names.ts";
import { nextRecordAt, type RecordRange } from "./record-range.ts";

/**
 * Writes closing records as the JSON array that `settle_usage` takes, without decoding them: an event's numbers are
 * written as digits, and everything else is copied from the record or from text that was prepared once. Decoding each
 * record and encoding it as JSON takes three times as long. Returns the text, whose memory belongs to `json`. Throws if
 * the bytes aren't closing records of this release.
 */
export function writeLedgerJson(json: JsonBuffer, records: readonly NodeRecords[]): Buffer {
  json.clear();
  json.put(OPEN_LIST);
  for (const { nodeId, ranges } of records) {
    const node = literal(`,"nodeId":${jsonOf(nodeId)},"epoch":`);
    for (const { bytes, count } of ranges) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let offset = 0;
      for (let left = count; left > 0; left -= 1) offset = writeEvent(json, bytes, view, offset, node);
    }
  }
  json.endList();
  return json.text;
}

/** Closing records of one node. */
export interface NodeRecords {
  readonly nodeId: string;
  readonly ranges: readonly RecordRange[];
}

const preparedNames = new PreparedNames();

const OPEN_LIST = literal("[");
const REQUEST_ID = literal(',"requestId":');
const HTTP_STATUS = literal(',"httpStatus":');
const ERROR_CODE = literal(',"errorCode":');
const COST = literal(',"cost":"');
const NO_ERROR_CODE_AND_COST = literal(',"errorCode":null,"cost":"');
const HOLD = literal('","hold":"');
const FROM_LEASE = literal('","fromLease":"');
const ENDED_AT = literal('","endedAtMs":');
const LATENCY = literal(',"latencyMs":');
const FIRST_TOKEN = literal(',"firstTokenMs":');
const OUTPUT_TOKENS = literal(',"outputTokens":');
const NO_OTHER_TOKENS = literal(',"cacheReadTokens":0,"cacheWriteTokens":0,"reasoningTokens":0}},');
const CACHE_READ_TOKENS = literal(',"cacheReadTokens":');
const CACHE_WRITE_TOKENS = literal(',"cacheWriteTokens":');
const REASONING_TOKENS = literal(',"reasoningTokens":');
const END = literal("}},");
const USAGE = literal(',"usage":');
const END_AFTER_USAGE = literal("},");
const BEFORE = literal(',"gatewayBeforeUs":');
const QUEUE = literal(',"queueUs":');
const FAILED = literal(',"failedUs":');
const AFTER = literal(',"gatewayAfterUs":');
const ATTEMPTS = literal(',"attempts":');
const FALLBACK = literal(',"fallbackFrom":');
const END_USER = literal(',"endUser":');
const SESSION = literal(',"session":');
const LOSS = literal(',"loss":"');
const LOST_ATTEMPTS = literal(',"lostAttempts":');
const QUOTE = literal('"');
const NO_BUDGETS = literal(',"budgets":[]');
const BUDGETS = literal(',"budgets":[');
const BUDGET_SCOPES = SCOPES.map((scope) => literal(`{"scope":"${scope}","scopeId":`));
const UNKNOWN_SCOPE = literal('{"scopeId":');
const BUDGET_START = literal(',"startsAtMs":');
const BUDGET_END = literal(',"endsAtMs":');
const BUDGET_SHARE = literal(',"fromLease":"');
const END_BUDGET = literal('"},');

/** Text of the facts in a record's flags, for each value of the flags, without and with the beginning of the usage. */
const FACTS = Array.from({ length: 256 }, (_, flags) => literal(factsText(flags)));
const FACTS_AND_TOKENS = Array.from({ length: 256 }, (_, flags) =>
  literal(`${factsText(flags)},"usage":{"source":"${sourceOf(flags)}","inputTokens":`),
);

function factsText(flags: number): string {
  const status = STATUSES[(flags >>> STATUS_SHIFT) & 3] ?? null;
  const facts = { isStream: (flags & FLAG_STREAM) !== 0, isBilled: (flags & FLAG_BILLED) !== 0, status };
  return `,${JSON.stringify(facts).slice(1, -1)}`;
}

function sourceOf(flags: number): "reported" | "estimated" {
  return (flags & FLAG_ESTIMATED) === 0 ? "reported" : "estimated";
}

/** Writes the record at `offset`, with a comma after it, and returns the offset of the next record. */
function writeEvent(json: JsonBuffer, bytes: Buffer, view: DataView, offset: number, node: Buffer): number {
  const word = view.getUint32(offset + AT_WORD, true);
  if (((word >>> 8) & 0xff) !== RecordKind.close) throw new Error(`The record at ${offset} does not close a request.`);
  const next = nextRecordAt(bytes, offset);
  const flags = word & 0xff;
  const budgets = view.getUint16(offset + AT_BUDGET_COUNT, true);
  const identityAt = skipBudgets(view, offset + CLOSE_FIXED_BYTES, budgets);
  const targetAt = identityAt + view.getUint16(offset + AT_IDENTITY_LENGTH, true);
  const requestIdAt = targetAt + view.getUint16(offset + AT_TARGET_LENGTH, true);
  const requestIdEnd = requestIdAt + view.getUint16(offset + AT_REQUEST_ID_LENGTH, true);
  const errorCodeLength = view.getUint16(offset + AT_ERROR_CODE_LENGTH, true);
  const errorCodeEnd = errorCodeLength === NO_ERROR_CODE ? requestIdEnd : requestIdEnd + errorCodeLength;
  // A message from the log may have any bytes, which must not be read as a part of the next record.
  if (errorCodeEnd > next) throw new Error(`The record at ${offset} is longer than its length.`);

  const names = preparedNames.find(bytes, view, identityAt, targetAt, requestIdAt);
  json.putPrepared(names);
  json.putText(bytes, offset + AT_ID, offset + AT_ID + ID_BYTES, "latin1");
  json.put(REQUEST_ID);
  if ((flags & FLAG_REQUEST_ID_IS_ID) === 0) json.putText(bytes, requestIdAt, requestIdEnd, "utf8");
  else json.putText(bytes, offset + AT_ID, offset + AT_ID + ID_BYTES, "latin1");
  json.putPrepared(node);
  json.putNumber(view.getUint32(offset + AT_EPOCH, true));
  json.put(HTTP_STATUS);
  json.putNumber(view.getUint16(offset + AT_HTTP_STATUS, true));
  if (errorCodeLength === NO_ERROR_CODE) json.put(NO_ERROR_CODE_AND_COST);
  else {
    json.put(ERROR_CODE);
    json.putText(bytes, requestIdEnd, errorCodeEnd, "utf8");
    json.put(COST);
  }
  json.putAmount(view, offset + AT_COST);
  json.put(HOLD);
  json.putAmount(view, offset + AT_HOLD);
  json.put(FROM_LEASE);
  json.putAmount(view, offset + AT_FROM_LEASE);
  json.put(ENDED_AT);
  json.putNumber(view.getFloat64(offset + AT_ENDED, true));
  json.put(LATENCY);
  json.putNumber(view.getFloat64(offset + AT_LATENCY, true));
  json.put(FIRST_TOKEN);
  json.putNumber(view.getFloat64(offset + AT_FIRST_TOKEN, true));
  if (budgets === 0) json.put(NO_BUDGETS);
  else writeBudgets(json, bytes, view, offset + CLOSE_FIXED_BYTES, budgets);
  const moreEnd = (flags & FLAG_MORE) === 0 ? errorCodeEnd : writeMore(json, bytes, view, errorCodeEnd, next);
  let labelsAt = moreEnd;
  if ((flags & FLAG_TIMES) !== 0) labelsAt = writeTimes(json, view, moreEnd, next);
  const session = findSession(bytes, labelsAt, next);
  if (session !== null) {
    json.put(SESSION);
    json.putText(bytes, session.start, session.end, "utf8");
  }
  if ((flags & FLAG_MORE) === 0) writeTokens(json, view, offset + AT_USAGE, flags);
  else writeUsage(json, bytes, view, offset + AT_USAGE, errorCodeEnd, moreEnd, flags);
  return next;
}

function skipBudgets(view: DataView, at: number, count: number): number {
  let offset = at;
  for (let left = count; left > 0; left -= 1)
    offset += BUDGET_FIXED_BYTES + view.getUint16(offset + BUDGET_FIXED_BYTES - 2, true);
  return offset;
}

function writeBudgets(json: JsonBuffer, bytes: Buffer, view: DataView, at: number, count: number): void {
  json.put(BUDGETS);
  let offset = at;
  for (let left = count; left > 0; left -= 1) {
    const scopeIdAt = offset + BUDGET_FIXED_BYTES;
    const end = scopeIdAt + view.getUint16(scopeIdAt - 2, true);
    json.put(BUDGET_SCOPES[view.getUint8(offset + 24)] ?? UNKNOWN_SCOPE);
    json.putText(bytes, scopeIdAt, end, "utf8");
    json.put(BUDGET_START);
    json.putNumber(view.getFloat64(offset, true));
    json.put(BUDGET_END);
    json.putNumber(view.getFloat64(offset + 8, true));
    json.put(BUDGET_SHARE);
    json.putAmount(view, offset + 16);
    json.put(END_BUDGET);
    offset = end;
  }
  json.endList();
}

/** Writes the optional sections except the counters, and returns their end. */
function writeMore(json: JsonBuffer, bytes: Buffer, view: DataView, at: number, next: number): number {
  const parts = view.getUint8(at);
  if ((parts & ~MORE_KNOWN) !== 0) throw new Error("The record has a part that only a later release supports.");
  const attempts = view.getUint16(at + 1, true);
  if (attempts !== 1) {
    json.put(ATTEMPTS);
    json.putNumber(attempts);
  }
  let offset = at + MORE_FIXED_BYTES + countersBytes(parts);
  if ((parts & MORE_FALLBACK) !== 0) offset = writeSized(json, bytes, view, FALLBACK, offset);
  if ((parts & MORE_END_USER) !== 0) offset = writeSized(json, bytes, view, END_USER, offset);
  if ((parts & MORE_LOSS) !== 0) {
    json.put(LOSS);
    json.putAmount(view, offset);
    json.put(QUOTE);
    offset += LOSS_BYTES;
  }
  if ((parts & MORE_LOST_ATTEMPTS) !== 0) {
    const lost = readLostAttempts(bytes, offset);
    json.put(LOST_ATTEMPTS);
    json.putValue(lost.attempts.map((attempt) => ({ ...attempt, cost: attempt.cost.toString() })));
    offset = lost.end;
  }
  if ((parts & MORE_LATER) !== 0) offset += REPORTED_COST_BYTES;
  if (offset > next) throw new Error("The record's optional sections are longer than the record.");
  return offset;
}

function writeSized(json: JsonBuffer, bytes: Buffer, view: DataView, name: Buffer, at: number): number {
  const start = at + 2;
  const end = start + view.getUint16(at, true);
  if (end > bytes.length) throw new Error("The record's optional sections are longer than the record.");
  json.put(name);
  json.putText(bytes, start, end, "utf8");
  return end;
}

/** Writes the times, and returns their end. */
function writeTimes(json: JsonBuffer, view: DataView, at: number, next: number): number {
  if (at + TIMES_BYTES > next) throw new Error("The record's times are longer than the record.");
  json.put(BEFORE);
  json.putNumber(view.getUint32(at, true));
  json.put(QUEUE);
  json.putNumber(view.getUint32(at + 4, true));
  json.put(FAILED);
  json.putNumber(view.getUint32(at + 8, true));
  json.put(AFTER);
  json.putNumber(view.getUint32(at + 12, true));
  return at + TIMES_BYTES;
}

/** Writes the facts in the flags and the plain tokens, most of which are 0 for most calls, and ends the event. */
function writeTokens(json: JsonBuffer, view: DataView, at: number, flags: number): void {
  json.put(FACTS_AND_TOKENS[flags] as Buffer);
  json.putNumber(view.getFloat64(at, true));
  json.put(OUTPUT_TOKENS);
  json.putNumber(view.getFloat64(at + 24, true));
  const cacheRead = view.getFloat64(at + 8, true);
  const cacheWrite = view.getFloat64(at + 16, true);
  const reasoning = view.getFloat64(at + 32, true);
  if (cacheRead === 0 && cacheWrite === 0 && reasoning === 0) {
    json.put(NO_OTHER_TOKENS);
    return;
  }
  json.put(CACHE_READ_TOKENS);
  json.putNumber(cacheRead);
  json.put(CACHE_WRITE_TOKENS);
  json.putNumber(cacheWrite);
  json.put(REASONING_TOKENS);
  json.putNumber(reasoning);
  json.put(END);
}

/** Does the same for a record with optional sections, which may have counters of other units and a reported cost. */
function writeUsage(
  json: JsonBuffer,
  bytes: Buffer,
  view: DataView,
  at: number,
  moreAt: number,
  moreEnd: number,
  flags: number,
): void {
  const parts = view.getUint8(moreAt);
  if ((parts & (MORE_COUNTERS | MORE_LATER)) === 0) return writeTokens(json, view, at, flags);
  const usage = readCounters(bytes, at, moreAt + MORE_FIXED_BYTES, parts, sourceOf(flags));
  const isReported = (parts & MORE_LATER) !== 0;
  if (!isReported && isPlainUsage(usage)) return writeTokens(json, view, at, flags);
  json.put(FACTS[flags] as Buffer);
  json.put(USAGE);
  const reportedCost = isReported ? readReportedCost(bytes, moreEnd - REPORTED_COST_BYTES).toString() : undefined;
  json.putValue(isReported ? { ...usage, reportedCost } : usage);
  json.put(END_AFTER_USAGE);
}
