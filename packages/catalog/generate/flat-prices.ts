import {
  type ConditionalPrices,
  type PriceField,
  type Prices,
  type PriceTable,
  type PriceTier,
  priceFields,
} from "../src/model.ts";
import type { ListedRule } from "./read-price-list.ts";

/**
 * Prices and tiers in one map, such as `inputAbove200000` next to `input`, so that two sources can be compared by
 * field.
 */
export type FlatPrices = ReadonlyMap<string, bigint>;

const TIER = /^(\w+)Above(\d+)$/;

export function tierField(field: PriceField, aboveInputTokens: number): string {
  return `${field}Above${aboveInputTokens}`;
}

/** Converts the prices to the catalog format: fields in fixed order, tiers ascending. */
export function writePrices(
  flat: FlatPrices,
  imageSizes: ReadonlyMap<string, bigint>,
  rules: readonly ListedRule[] = [],
): Prices<number> | undefined {
  const tiers = tiersOf(flat);
  const base = pickFields(flat, (field) => field);
  // A model without a price for tokens can't be called, whatever its prices under conditions are.
  const conditional = base.input === undefined || base.output === undefined ? [] : rules.map(writeRule);
  const prices = {
    ...base,
    ...(tiers.length > 0 && { tiers }),
    ...(imageSizes.size > 0 && { imageSizes: writeSizes(imageSizes) }),
    ...(conditional.length > 0 && { rules: conditional }),
  };
  return Object.keys(prices).length > 0 ? prices : undefined;
}

/** Returns the prices for long prompts, in ascending order. */
function tiersOf(flat: FlatPrices): readonly PriceTier<number>[] {
  const thresholds = [...flat.keys()].map((name) => Number(TIER.exec(name)?.[2])).filter(Number.isFinite);
  return [...new Set(thresholds)]
    .sort((left, right) => left - right)
    .map((aboveInputTokens) => {
      return { aboveInputTokens, prices: pickFields(flat, (field) => tierField(field, aboveInputTokens)) };
    });
}

function writeRule({ when, prices }: ListedRule): ConditionalPrices<number> {
  const [tier, ...others] = tiersOf(prices);
  if (others.length > 0) throw new Error(`a condition has several tiers: ${JSON.stringify(when)}`);
  return { when, prices: pickFields(prices, (field) => field), ...(tier !== undefined && { tier }) };
}

/** Converts an amount to a JSON integer. Throws if a double can't represent it. */
export function toJsonInteger(amount: bigint): number {
  if (amount < 0n || amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error(`not a JSON integer: ${amount}`);
  return Number(amount);
}

function pickFields(flat: FlatPrices, nameOf: (field: PriceField) => string): PriceTable<number> {
  const picked: { [field in PriceField]?: number } = {};
  for (const field of priceFields) {
    const amount = flat.get(nameOf(field));
    if (amount !== undefined) picked[field] = toJsonInteger(amount);
  }
  return picked;
}

function writeSizes(sizes: ReadonlyMap<string, bigint>): Record<string, number> {
  return Object.fromEntries([...sizes].sort().map(([size, amount]) => [size, toJsonInteger(amount)]));
}
