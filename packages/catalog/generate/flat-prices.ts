import { type PriceField, type Prices, type PriceTier, priceFields } from "../src/model.ts";

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
export function writePrices(flat: FlatPrices, imageSizes: ReadonlyMap<string, bigint>): Prices<number> | undefined {
  const thresholds = [...flat.keys()].map((name) => Number(TIER.exec(name)?.[2])).filter(Number.isFinite);
  const tiers = [...new Set(thresholds)]
    .sort((left, right) => left - right)
    .map((aboveInputTokens): PriceTier<number> => {
      return { aboveInputTokens, prices: pickFields(flat, (field) => tierField(field, aboveInputTokens)) };
    });
  const prices = {
    ...pickFields(flat, (field) => field),
    ...(tiers.length > 0 && { tiers }),
    ...(imageSizes.size > 0 && { imageSizes: writeSizes(imageSizes) }),
  };
  return Object.keys(prices).length > 0 ? prices : undefined;
}

/** Converts an amount to a JSON integer. Throws if a double can't represent it. */
export function toJsonInteger(amount: bigint): number {
  if (amount < 0n || amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error(`not a JSON integer: ${amount}`);
  return Number(amount);
}

function pickFields(flat: FlatPrices, nameOf: (field: PriceField) => string): { [field in PriceField]?: number } {
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
