// Generated from billing-units.ts by bin/pnpm generate. Do not edit.
// This code runs for each call, so it names each unit: loops over the table would be slower.
import type { UnitCounts } from "@tollgate/domain/pricing/billing-units.ts";
import { isPlainUsage } from "@tollgate/domain/pricing/units.generated.ts";

/** Section flag of the counters that are written together. */
export const MORE_UNITS = 1;
/** All section flags of a closing record that announce counters. */
export const MORE_COUNTERS = 1 | 8 | 64;

/** Writes the plain tokens, which every call has. */
export function writeTokens(view: DataView, offset: number, usage: UnitCounts): void {
  view.setFloat64(offset, usage.inputTokens, true);
  view.setFloat64(offset + 8, usage.cacheReadTokens, true);
  view.setFloat64(offset + 16, usage.cacheWriteTokens, true);
  view.setFloat64(offset + 24, usage.outputTokens, true);
  view.setFloat64(offset + 32, usage.reasoningTokens, true);
}

/** Returns the section flags of the counters that the usage needs; 0 for most calls. */
export function counterParts(usage: UnitCounts): number {
  if (isPlainUsage(usage)) return 0;
  return 1 | (usage.searches > 0 ? 8 : 0) | (usage.requestFees > 0 || usage.webSearches > 0 || usage.fileSearches > 0 || usage.codeSessions > 0 || usage.toolCalls > 0 || usage.longCacheWriteTokens > 0 ? 64 : 0);
}

/** Writes the counters that the section flags announce, and returns the end offset. */
export function writeCounters(view: DataView, offset: number, usage: UnitCounts, parts: number): number {
  view.setFloat64(offset, usage.audioInputTokens, true);
  view.setFloat64(offset + 8, usage.audioOutputTokens, true);
  view.setFloat64(offset + 16, usage.characters, true);
  view.setFloat64(offset + 24, usage.audioMs, true);
  view.setFloat64(offset + 32, usage.images, true);
  let end = offset + 40;
  if ((parts & 8) !== 0) {
    view.setFloat64(end, usage.searches, true);
    end += 8;
  }
  if ((parts & 64) !== 0) {
    view.setFloat64(end, usage.requestFees, true);
    view.setFloat64(end + 8, usage.webSearches, true);
    view.setFloat64(end + 16, usage.fileSearches, true);
    view.setFloat64(end + 24, usage.codeSessions, true);
    view.setFloat64(end + 32, usage.toolCalls, true);
    view.setFloat64(end + 40, usage.longCacheWriteTokens, true);
    end += 48;
  }
  return end;
}

/** Returns the size of the counters that these section flags announce. */
export function countersBytes(parts: number): number {
  let bytes = (parts & 1) === 0 ? 0 : 40;
  if ((parts & 8) !== 0) bytes += 8;
  if ((parts & 64) !== 0) bytes += 48;
  return bytes;
}

/** Reads all counters. `countersAt` is the offset of the counters that the section flags announce. */
export function readCounters<Source>(
  bytes: Buffer,
  tokensAt: number,
  countersAt: number,
  parts: number,
  source: Source,
): UnitCounts & { readonly source: Source } {
  const hasUnits = (parts & 1) !== 0;
  let end = countersAt + 40;
  let searches = 0;
  if (hasUnits && (parts & 8) !== 0) {
    searches = bytes.readDoubleLE(end);
    end += 8;
  }
  let requestFees = 0;
  let webSearches = 0;
  let fileSearches = 0;
  let codeSessions = 0;
  let toolCalls = 0;
  let longCacheWriteTokens = 0;
  if (hasUnits && (parts & 64) !== 0) {
    requestFees = bytes.readDoubleLE(end);
    webSearches = bytes.readDoubleLE(end + 8);
    fileSearches = bytes.readDoubleLE(end + 16);
    codeSessions = bytes.readDoubleLE(end + 24);
    toolCalls = bytes.readDoubleLE(end + 32);
    longCacheWriteTokens = bytes.readDoubleLE(end + 40);
    end += 48;
  }
  return {
    inputTokens: bytes.readDoubleLE(tokensAt),
    cacheReadTokens: bytes.readDoubleLE(tokensAt + 8),
    cacheWriteTokens: bytes.readDoubleLE(tokensAt + 16),
    outputTokens: bytes.readDoubleLE(tokensAt + 24),
    reasoningTokens: bytes.readDoubleLE(tokensAt + 32),
    audioInputTokens: hasUnits ? bytes.readDoubleLE(countersAt) : 0,
    audioOutputTokens: hasUnits ? bytes.readDoubleLE(countersAt + 8) : 0,
    characters: hasUnits ? bytes.readDoubleLE(countersAt + 16) : 0,
    audioMs: hasUnits ? bytes.readDoubleLE(countersAt + 24) : 0,
    images: hasUnits ? bytes.readDoubleLE(countersAt + 32) : 0,
    searches,
    requestFees,
    webSearches,
    fileSearches,
    codeSessions,
    toolCalls,
    longCacheWriteTokens,
    source,
  };
}

/** Returns the flags of a checkpoint for these section flags. */
export function checkpointFlags(parts: number): number {
  return ((parts & 8) === 0 ? 0 : 128) | ((parts & 64) === 0 ? 0 : 32);
}

/** Returns the section flags for the flags of a checkpoint that has counters. */
export function checkpointParts(flags: number): number {
  return 1 | ((flags & 128) === 0 ? 0 : 8) | ((flags & 32) === 0 ? 0 : 64);
}

/** Returns the oldest record version whose readers know the counters that these section flags announce. */
export function versionOfCounters(parts: number): number {
  if ((parts & 64) !== 0) return 5;
  if ((parts & 8) !== 0) return 3;
  return 2;
}
