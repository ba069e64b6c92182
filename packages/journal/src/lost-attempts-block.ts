import type { LostAttempt } from "@tollgate/domain/credit/usage-event.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { LOSS_REASONS, MAX_GROUP_LENGTH, MAX_LOST_ATTEMPTS } from "./record-layout.ts";

const SOURCES: readonly Usage["source"][] = ["reported", "estimated"];
const COUNTERS = [
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "characters",
  "audioMs",
  "images",
  "searches",
] as const satisfies readonly Exclude<keyof Usage, "source">[];

// Layout of an attempt: reason, usage source, cost, counters, then three length-prefixed strings.
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
  bytes.writeUInt8(LOSS_REASONS.indexOf(attempt.reason), offset);
  bytes.writeUInt8(SOURCES.indexOf(attempt.usage.source), offset + AT_SOURCE);
  bytes.writeBigInt64LE(attempt.cost, offset + AT_COST);
  for (const [index, counter] of COUNTERS.entries())
    bytes.writeDoubleLE(attempt.usage[counter], offset + AT_COUNTERS + 8 * index);
  let end = offset + FIXED_BYTES;
  for (const text of [attempt.deploymentId, attempt.provider, attempt.priceVersionId]) {
    const length = bytes.write(text.slice(0, MAX_GROUP_LENGTH), end + 2, "utf8");
    bytes.writeUInt16LE(length, end);
    end += 2 + length;
  }
  return end;
}

function readAttempt(bytes: Buffer, offset: number): { attempt: LostAttempt; end: number } {
  const reason = LOSS_REASONS[bytes.readUInt8(offset)];
  if (reason === undefined) throw new Error("The record has a loss reason that only a later release supports.");
  const counters = Object.fromEntries(
    COUNTERS.map((counter, index) => [counter, bytes.readDoubleLE(offset + AT_COUNTERS + 8 * index)]),
  ) as Record<(typeof COUNTERS)[number], number>;
  let end = offset + FIXED_BYTES;
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
    usage: { ...counters, source: SOURCES[bytes.readUInt8(offset + AT_SOURCE)] as Usage["source"] },
    cost: bytes.readBigInt64LE(offset + AT_COST),
  };
  return { attempt, end };
}
