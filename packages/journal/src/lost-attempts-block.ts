import type { LostAttempt } from "@tollgate/domain/credit/usage-event.ts";
import { billingUnits, type UnitCounts } from "@tollgate/domain/pricing/billing-units.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { LOSS_REASONS, LOSS_RECORD_VERSION, MAX_GROUP_LENGTH, MAX_LOST_ATTEMPTS } from "./record-layout.ts";
import { MORE_UNITS } from "./unit-counters.generated.ts";

const SOURCES: readonly Usage["source"][] = ["reported", "estimated"];
/** Every attempt has a counter for each unit that existed when lost attempts were added. */
const COUNTERS = billingUnits.filter(({ since }) => since <= LOSS_RECORD_VERSION).map(({ name }) => name);
/**
 * Counters of later units, by version. They follow if a bit of the reason is set, so that releases without the units
 * reject the record.
 */
const LATER_COUNTERS = [
  ...Map.groupBy(
    billingUnits.filter(({ since }) => since > LOSS_RECORD_VERSION),
    ({ since }) => since,
  ).values(),
].map((units, index) => ({
  names: units.map(({ name }) => name),
  section: MORE_UNITS | (units[0]?.recordFlags?.closing ?? 0),
  flag: 0x80 >> index,
}));
const LATER_FLAGS = LATER_COUNTERS.reduce((flags, { flag }) => flags | flag, 0);

// Layout of an attempt: reason, usage source, cost, counters, later counters, then three length-prefixed strings.
const AT_SOURCE = 1;
const AT_COST = 2;
const AT_COUNTERS = 10;
const FIXED_BYTES = AT_COUNTERS + 8 * COUNTERS.length;

/** Writes a call's lost attempts, prefixed by their count, and returns the end offset. */
export function writeLostAttempts(bytes: Buffer, offset: number, attempts: readonly LostAttempt[]): number {
  if (attempts.length > MAX_LOST_ATTEMPTS)
    throw new Error(`A request can have at most ${MAX_LOST_ATTEMPTS} lost attempts.`);
  let end = bytes.writeUInt8(attempts.length, offset);
  for (const attempt of attempts) end = writeAttempt(bytes, end, attempt);
  return end;
}

/** Returns the section flags of the later units that the attempts used. They decide the version of the closing record. */
export function laterCounterParts(attempts: readonly LostAttempt[]): number {
  const used = LATER_COUNTERS.filter(({ names }) => attempts.some(({ usage }) => isAnyUsed(usage, names)));
  return used.reduce((parts, { section }) => parts | section, 0);
}

/** Reads the output of `writeLostAttempts`, and returns its end offset. */
export function readLostAttempts(bytes: Buffer, offset: number): { attempts: LostAttempt[]; end: number } {
  const attempts: LostAttempt[] = [];
  let end = offset + 1;
  for (let left = bytes.readUInt8(offset); left > 0; left -= 1) {
    const read = readAttempt(bytes, end);
    attempts.push(read.attempt);
    end = read.end;
  }
  return { attempts, end };
}

function writeAttempt(bytes: Buffer, offset: number, attempt: LostAttempt): number {
  const later = LATER_COUNTERS.filter(({ names }) => isAnyUsed(attempt.usage, names));
  const reason = later.reduce((byte, { flag }) => byte | flag, LOSS_REASONS.indexOf(attempt.reason));
  bytes.writeUInt8(reason, offset);
  bytes.writeUInt8(SOURCES.indexOf(attempt.usage.source), offset + AT_SOURCE);
  bytes.writeBigInt64LE(attempt.cost, offset + AT_COST);
  for (const [index, counter] of COUNTERS.entries())
    bytes.writeDoubleLE(attempt.usage[counter], offset + AT_COUNTERS + 8 * index);
  let end = offset + FIXED_BYTES;
  for (const { names } of later) for (const name of names) end = bytes.writeDoubleLE(attempt.usage[name], end);
  for (const text of [attempt.deploymentId, attempt.provider, attempt.priceVersionId]) {
    const length = bytes.write(text.slice(0, MAX_GROUP_LENGTH), end + 2, "utf8");
    bytes.writeUInt16LE(length, end);
    end += 2 + length;
  }
  return end;
}

function readAttempt(bytes: Buffer, offset: number): { attempt: LostAttempt; end: number } {
  const flags = bytes.readUInt8(offset) & LATER_FLAGS;
  const reason = LOSS_REASONS[bytes.readUInt8(offset) - flags];
  if (reason === undefined) throw new Error("The record has a loss reason that only a later release supports.");
  const counters = COUNTERS.map((counter, index) => [counter, bytes.readDoubleLE(offset + AT_COUNTERS + 8 * index)]);
  let end = offset + FIXED_BYTES;
  for (const { names, flag } of LATER_COUNTERS) {
    for (const name of names) {
      counters.push([name, (flags & flag) === 0 ? 0 : bytes.readDoubleLE(end)]);
      if ((flags & flag) !== 0) end += 8;
    }
  }
  const counts = Object.fromEntries(counters) as UnitCounts;
  const readText = (): string => {
    const start = end + 2;
    end = start + bytes.readUInt16LE(end);
    return bytes.toString("utf8", start, end);
  };
  const attempt: LostAttempt = {
    reason,
    deploymentId: readText(),
    provider: readText(),
    priceVersionId: readText(),
    usage: { ...counts, source: SOURCES[bytes.readUInt8(offset + AT_SOURCE)] as Usage["source"] },
    cost: bytes.readBigInt64LE(offset + AT_COST),
  };
  return { attempt, end };
}

function isAnyUsed(usage: UnitCounts, names: readonly (keyof UnitCounts)[]): boolean {
  return names.some((name) => usage[name] > 0);
}
