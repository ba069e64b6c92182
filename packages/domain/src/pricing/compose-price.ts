import { type CountedUnit, countedUnits, type OptionalPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import { tokenPrice } from "./token-price.ts";

/** Known parts of a model's price, in pico-USD; null if unknown. */
export interface KnownPrices extends OptionalPrices {
  readonly tier: PriceTier | null;
}

/** Modes whose output tokens are not billed. */
const modesWithoutOutput: ReadonlySet<string> = new Set(["embedding", "rerank", "moderation"]);

/**
 * Composes a model's price, or returns null if the price is incomplete: with a partial price, the other units would be
 * free. Prices for units that the mode doesn't count are not sufficient.
 */
export function composePrice(mode: string | null, known: KnownPrices): Price | null {
  const units = Object.fromEntries(
    countedUnits.map(({ price, modes }) => [price, countsUnit(mode, modes) ? known[price] : null]),
  ) as Record<CountedUnit["price"], bigint | null>;
  const isByUnit = countedUnits.some(({ price }) => units[price] != null);
  const hasNoOutput = isByUnit || (mode !== null && modesWithoutOutput.has(mode));
  const input = known.input ?? (isByUnit ? 0n : null);
  const output = known.output ?? (hasNoOutput ? 0n : null);
  if (input === null || output === null) return null;
  return tokenPrice(input, output, { ...known, ...units });
}

function countsUnit(mode: string | null, modes: readonly string[]): boolean {
  return mode === null || modes.includes(mode);
}
