import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CatalogFile, freeReasons, type ModelRecord, modes, type PriceTable, priceFields } from "./model.ts";

const text = readFileSync(new URL("./catalog.generated.json", import.meta.url), "utf8");
const file = JSON.parse(text) as CatalogFile;

/** Returns the IDs of records that violate a rule, so that a failing test prints them. */
function idsWhere(isBroken: (record: ModelRecord) => boolean): string[] {
  return file.models.filter(isBroken).map((record) => record.id);
}

function amountsOf({ prices = {} }: ModelRecord): unknown[] {
  const { tiers = [], imageSizes = {}, rules = [], ...base } = prices;
  const conditional = rules.flatMap(({ prices: own, tier }) => [own, tier?.prices ?? {}]);
  return [base, imageSizes, ...tiers.map((tier) => tier.prices), ...conditional].flatMap((table) =>
    Object.values(table),
  );
}

test("has a version and a price date", () => {
  expect(file.version).toMatch(/^\d{4}-\d{2}\.\d+$/);
  expect(file.pricesAsOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

test("IDs are unique and sorted, and each ID consists of a provider and a model", () => {
  const ids = file.models.map((record) => record.id);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids.filter((id) => !/^[a-z][a-z0-9_]*\/[^\s*?]*[^\s*?/]$/.test(id))).toEqual([]);
});

test("has one line per model, so that a price change is a one-line diff", () => {
  expect(text.split("\n").filter((line) => line.startsWith('{"id":'))).toHaveLength(file.models.length);
});

test("every price is a whole number of pico-USD that a double represents exactly", () => {
  const isAmount = (amount: unknown): boolean => Number.isSafeInteger(amount) && (amount as number) >= 0;
  expect(idsWhere((record) => !amountsOf(record).every(isAmount))).toEqual([]);
  const figures = (record: ModelRecord) => (record.review ?? []).flatMap(({ first, second }) => [first, second]);
  expect(idsWhere((record) => !figures(record).every((figure) => figure === null || isAmount(figure)))).toEqual([]);
});

test("every price field, mode, and free reason is a known value", () => {
  const fields = new Set<string>([...priceFields, "tiers", "imageSizes", "rules"]);
  expect(idsWhere(({ prices = {} }) => !Object.keys(prices).every((field) => fields.has(field)))).toEqual([]);
  expect(idsWhere(({ mode }) => !modes.includes(mode))).toEqual([]);
  expect(idsWhere(({ free }) => free !== undefined && !freeReasons.includes(free))).toEqual([]);
});

test("input and output prices are zero only with a free reason, or if the mode is never billed for that unit", () => {
  const isZero = ({ input, output }: PriceTable<number>): boolean => input === 0 || output === 0;
  expect(
    idsWhere(({ prices = {}, free, mode }) => isZero(prices) && !free && mode !== "embedding" && mode !== "rerank"),
  ).toEqual([]);
  expect(idsWhere(({ prices = {}, free }) => prices.input === 0 && !free && !prices.perQuery)).toEqual([]);
  expect(idsWhere((record) => record.free !== undefined && amountsOf(record).some((amount) => amount !== 0))).toEqual(
    [],
  );
});

test("tiers are in ascending order, and each changes a price that the model has", () => {
  const isBroken = ({ prices = {} }: ModelRecord): boolean =>
    (prices.tiers ?? []).some((tier, index, tiers) => {
      const fields = Object.keys(tier.prices) as (keyof PriceTable<number>)[];
      const isAscending = index === 0 || (tiers[index - 1]?.aboveInputTokens ?? 0) < tier.aboveInputTokens;
      return !isAscending || fields.length === 0 || fields.some((field) => prices[field] === undefined);
    });
  expect(idsWhere(isBroken)).toEqual([]);
});

test("every condition changes a price of a model whose token prices are known", () => {
  const isBroken = ({ prices = {} }: ModelRecord): boolean =>
    (prices.rules ?? []).some(({ when, prices: own }) => {
      const isKnown = prices.input !== undefined && prices.output !== undefined;
      return !isKnown || Object.keys(when).length === 0 || Object.keys(own).length === 0;
    });
  expect(idsWhere(isBroken)).toEqual([]);
});

test("names its sources, and every fact from another source names one of them", () => {
  const [, ...others] = Object.keys(file.sources ?? {});
  expect(others).not.toEqual([]);
  const isSource = (id: string): boolean => others.includes(id);
  expect(idsWhere(({ sources = {} }) => !Object.values(sources).every(isSource))).toEqual([]);
});

test("token limits are positive and dates are calendar days", () => {
  const isLimit = (limit: number | undefined): boolean =>
    limit === undefined || (Number.isSafeInteger(limit) && limit > 0);
  expect(
    idsWhere(({ maxInputTokens, maxOutputTokens }) => !isLimit(maxInputTokens) || !isLimit(maxOutputTokens)),
  ).toEqual([]);
  const isDay = (day: string): boolean => !Number.isNaN(Date.parse(day)) && /^\d{4}-\d{2}-\d{2}$/.test(day);
  expect(idsWhere(({ deprecatedOn }) => deprecatedOn !== undefined && !isDay(deprecatedOn))).toEqual([]);
});
