import { type Model, type ModelRecord, type PriceField, type Prices, type PriceTable, priceFields } from "./model.ts";

const nothing: readonly never[] = [];
const isPriceField: ReadonlySet<string> = new Set(priceFields);

/** Converts a record to a model: amounts become bigint, and absent fields become null. */
export function readModel(record: ModelRecord): Model {
  const slash = record.id.indexOf("/");
  return {
    id: record.id,
    provider: record.id.slice(0, slash),
    model: record.id.slice(slash + 1),
    mode: record.mode,
    maxInputTokens: record.maxInputTokens ?? null,
    maxOutputTokens: record.maxOutputTokens ?? null,
    supports: record.supports ?? nothing,
    deprecatedOn: record.deprecatedOn ?? null,
    free: record.free ?? null,
    prices: readPrices(record.prices ?? {}),
    review:
      record.review?.map(({ field, first, second }) => ({ field, first: pico(first), second: pico(second) })) ??
      nothing,
  };
}

function readPrices(prices: Prices<number>): Prices<bigint> {
  const { tiers, imageSizes } = prices;
  return {
    ...readTable(prices),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, prices: readTable(tier.prices) })) }),
    ...(imageSizes && {
      imageSizes: Object.fromEntries(Object.entries(imageSizes).map(([size, amount]) => [size, BigInt(amount)])),
    }),
  };
}

function readTable(table: PriceTable<number>): PriceTable<bigint> {
  const read: { [field in PriceField]?: bigint } = {};
  for (const [field, amount] of Object.entries(table)) {
    if (isPriceField.has(field)) read[field as PriceField] = BigInt(amount as number);
  }
  return read;
}

function pico(amount: number | null): bigint | null {
  return amount === null ? null : BigInt(amount);
}
