import {
  type Model,
  type ModelRecord,
  type PriceField,
  type Prices,
  type PriceTable,
  type PriceTier,
  priceFields,
} from "./model.ts";
import { type DisputePolicy, settleDisputes } from "./settle-disputes.ts";

const nothing: readonly never[] = [];
const isPriceField: ReadonlySet<string> = new Set(priceFields);

const noSources: Readonly<Record<string, string>> = {};

/** Converts a record to a model: amounts become bigint, absent fields become null, and disputed prices are chosen. */
export function readModel(record: ModelRecord, policy: DisputePolicy): Model {
  const { prices, disputes, isRefused } = settleDisputes(record, policy);
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
    prices: readPrices(prices),
    sources: record.sources ?? noSources,
    review:
      record.review?.map(({ field, first, second }) => ({ field, first: pico(first), second: pico(second) })) ??
      nothing,
    disputes,
    isRefused,
  };
}

function readPrices(prices: Prices<number>): Prices<bigint> {
  const { tiers, imageSizes, rules } = prices;
  return {
    ...readTable(prices),
    ...(tiers && { tiers: tiers.map(readTier) }),
    ...(rules && {
      rules: rules.map(({ when, prices: own, tier }) => ({
        when,
        prices: readTable(own),
        ...(tier && { tier: readTier(tier) }),
      })),
    }),
    ...(imageSizes && {
      imageSizes: Object.fromEntries(Object.entries(imageSizes).map(([size, amount]) => [size, BigInt(amount)])),
    }),
  };
}

function readTier(tier: PriceTier<number>): PriceTier<bigint> {
  return { ...tier, prices: readTable(tier.prices) };
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
