import { type CountedUnit, countedUnits, type OptionalPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import { tokenPrice, withLongCacheInTier } from "./token-price.ts";

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
  const isByUnit = countedUnits.some(({ price, canBeOnlyPrice }) => canBeOnlyPrice && units[price] != null);
  const hasNoOutput = isByUnit || (mode !== null && modesWithoutOutput.has(mode));
  const input = known.input ?? (isByUnit ? 0n : null);
  const output = known.output ?? (hasNoOutput ? 0n : null);
  if (input === null || output === null) return null;
  // Reasoning that costs as much as other output must also cost as much under a tier or a condition.
  const reasoning = known.reasoning === output ? null : known.reasoning;
  return withLongCacheInTier(tokenPrice(input, output, { ...known, ...units, reasoning }));
}

/** Returns the price with these fees, which the provider charges in addition to tokens. */
export function withFees(price: Price, mode: string | null, known: OptionalPrices): Price {
  const fees = countedUnits.filter(
    ({ price: name, modes, canBeOnlyPrice }) => !canBeOnlyPrice && countsUnit(mode, modes) && known[name] !== null,
  );
  const { longCacheWrite } = known;
  if (fees.length === 0 && longCacheWrite === null) return price;
  const priced = tokenPrice(price.input, price.output, {
    ...price,
    longCacheWrite: longCacheWrite ?? price.longCacheWrite,
    ...Object.fromEntries(fees.map(({ price: name }) => [name, known[name]])),
  });
  return withLongCacheInTier(priced);
}

function countsUnit(mode: string | null, modes: readonly string[]): boolean {
  return mode === null || modes.includes(mode);
}
