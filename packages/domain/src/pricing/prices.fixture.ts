import fc from "fast-check";
import { type CountedUnit, countedUnits } from "./billing-units.ts";
import type { Price } from "./price-call.ts";
import { tokenPrice } from "./token-price.ts";
import type { Usage } from "./usage.ts";

/** Generates usage values with consistent sub-counters, up to the given count and often near edge values. */
export function usagesUpTo(most: number): fc.Arbitrary<Usage> {
  const edges = [0, 1, 999, 1_000, 199_999, 200_000, 200_001, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, most];
  const count = fc.oneof(fc.constantFrom(...edges.filter((edge) => edge <= most)), fc.integer({ min: 0, max: most }));
  return fc
    .record({
      text: count,
      audioInput: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      written: count,
      reasoningTokens: count,
      audioOutput: count,
      counted: fc.record(forEachCounted("name", count)),
    })
    .map(({ text, audioInput, written, audioOutput, counted, ...used }) => ({
      ...used,
      ...counted,
      inputTokens: text + audioInput,
      outputTokens: written + used.reasoningTokens + audioOutput,
      audioInputTokens: audioInput,
      audioOutputTokens: audioOutput,
      source: "reported",
    }));
}

/** Prices are small enough that the cost of billions of units still fits in the ledger. */
export const anyPico = fc.oneof(
  fc.constantFrom(0n, 1n, 499n, 500n, 2n ** 31n - 1n, 2n ** 31n),
  fc.bigInt({ min: 0n, max: 1_000_000_000n }),
);

/** Generates prices of every type, each of which may be missing. */
export function pricesOf(pico: fc.Arbitrary<bigint>): fc.Arbitrary<Price> {
  const optional = fc.option(pico, { freq: 2 });
  const aboveInputTokens = fc.constantFrom(0, 1_000, 200_000, 271_999, 2 ** 31);
  const tier = fc.record({
    aboveInputTokens,
    input: optional,
    output: optional,
    cacheRead: optional,
    cacheWrite: optional,
  });
  const more = fc.record({
    cacheRead: optional,
    cacheWrite: optional,
    reasoning: optional,
    audioInput: optional,
    audioOutput: optional,
    ...forEachCounted("price", optional),
    tier: fc.option(tier, { freq: 2 }),
  });
  return fc.tuple(pico, pico, more).map(([input, output, rest]) => tokenPrice(input, output, rest));
}

/** Returns the value for each unit other than tokens, by the unit's name or price. */
function forEachCounted<Key extends "name" | "price", Value>(key: Key, value: Value): Record<CountedUnit[Key], Value> {
  return Object.fromEntries(countedUnits.map((unit) => [unit[key], value])) as Record<CountedUnit[Key], Value>;
}
