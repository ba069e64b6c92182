// Generated from billing-units.ts by bin/pnpm generate. Do not edit.
// This code runs for each call, so it names each unit: loops over the table would be slower.
import type { UnitCounts, UnitPrices } from "./billing-units.ts";

/** Returns usage that consists of these tokens. */
export function countTokens<Source>(
  inputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
  outputTokens: number,
  reasoningTokens: number,
  audioInputTokens: number,
  audioOutputTokens: number,
  longCacheWriteTokens: number,
  source: Source,
): UnitCounts & { readonly source: Source } {
  return {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    audioInputTokens,
    audioOutputTokens,
    characters: 0,
    audioMs: 0,
    images: 0,
    searches: 0,
    requestFees: 0,
    webSearches: 0,
    fileSearches: 0,
    codeSessions: 0,
    toolCalls: 0,
    longCacheWriteTokens,
    source,
  };
}

/** Reports whether the call used only plain tokens, like most calls. */
export function isPlainUsage(usage: UnitCounts): boolean {
  return (
    usage.audioInputTokens === 0 &&
    usage.audioOutputTokens === 0 &&
    usage.characters === 0 &&
    usage.audioMs === 0 &&
    usage.images === 0 &&
    usage.searches === 0 &&
    usage.requestFees === 0 &&
    usage.webSearches === 0 &&
    usage.fileSearches === 0 &&
    usage.codeSessions === 0 &&
    usage.toolCalls === 0 &&
    usage.longCacheWriteTokens === 0
  );
}

/** Adds the cost in pico-USD of the units that are neither tokens nor fractions of a price. */
export function addUnits(pico: bigint, usage: UnitCounts, price: UnitPrices): bigint {
  // Most calls have none of these units, and bigint multiplication is slow.
  let sum = pico;
  if (usage.characters > 0) sum += BigInt(usage.characters) * (price.perCharacter ?? 0n);
  if (usage.images > 0) sum += BigInt(usage.images) * (price.perImage ?? 0n);
  if (usage.searches > 0) sum += BigInt(usage.searches) * (price.perSearch ?? 0n);
  if (usage.requestFees > 0) sum += BigInt(usage.requestFees) * (price.perRequest ?? 0n);
  if (usage.webSearches > 0) sum += BigInt(usage.webSearches) * (price.perWebSearch ?? 0n);
  if (usage.fileSearches > 0) sum += BigInt(usage.fileSearches) * (price.perFileSearch ?? 0n);
  if (usage.codeSessions > 0) sum += BigInt(usage.codeSessions) * (price.perCodeSession ?? 0n);
  if (usage.toolCalls > 0) sum += BigInt(usage.toolCalls) * (price.perToolCall ?? 0n);
  return sum;
}

/** Returns the prices of all units. Units without a price have null. */
export function unitPrices<Tier>(
  input: bigint,
  output: bigint,
  more: Partial<UnitPrices>,
  tier: Tier,
): UnitPrices & { readonly tier: Tier } {
  return {
    input,
    output,
    cacheRead: more.cacheRead ?? null,
    cacheWrite: more.cacheWrite ?? null,
    reasoning: more.reasoning ?? null,
    audioInput: more.audioInput ?? null,
    audioOutput: more.audioOutput ?? null,
    perCharacter: more.perCharacter ?? null,
    perSecond: more.perSecond ?? null,
    perImage: more.perImage ?? null,
    perSearch: more.perSearch ?? null,
    perRequest: more.perRequest ?? null,
    perWebSearch: more.perWebSearch ?? null,
    perFileSearch: more.perFileSearch ?? null,
    perCodeSession: more.perCodeSession ?? null,
    perToolCall: more.perToolCall ?? null,
    longCacheWrite: more.longCacheWrite ?? null,
    tier,
  };
}
