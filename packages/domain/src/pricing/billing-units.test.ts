import { describe, expect, test } from "vitest";
import { PICO_PER_NANO } from "../money.ts";
import { billingUnits, countedUnits, tokenUnits } from "./billing-units.ts";
import { listCostLines } from "./list-cost-lines.ts";
import { priceCall } from "./price-call.ts";
import { priceVersionId } from "./price-version.ts";
import { tokenPrice } from "./token-price.ts";
import { isPlainUsage } from "./units.generated.ts";
import { NO_USAGE } from "./usage.ts";

/** Price of one unit: a different amount for each unit, so that no unit is mistaken for another. */
const prices = Object.fromEntries(billingUnits.map(({ price }, index) => [price, BigInt(index + 1) * PICO_PER_NANO]));
const everyPrice = tokenPrice(prices.input as bigint, prices.output as bigint, prices);

test("usage and prices have a field for each unit, in the order of the table", () => {
  expect(Object.keys(NO_USAGE)).toEqual([...billingUnits.map(({ name }) => name), "source"]);
  expect(new Set(Object.keys(everyPrice))).toEqual(new Set([...billingUnits.map(({ price }) => price), "tier"]));
});

test("no two units share a name, a column, a price, a setting, or a cost line", () => {
  const all = (read: (unit: (typeof billingUnits)[number]) => readonly (string | number)[]) => {
    const values = billingUnits.flatMap(read);
    expect(values).toEqual([...new Set(values)]);
  };
  all(({ name }) => [name]);
  all(({ column }) => [column]);
  all(({ price }) => [price]);
  all(({ priceColumn }) => [priceColumn]);
  all(({ settings }) => Object.keys(settings));
  all(({ costLine }) => [costLine]);
});

test("units share flags only with the units that were added in the same version", () => {
  const versions = new Map<string, number>();
  for (const { recordFlags, since } of billingUnits) {
    if (recordFlags === null) continue;
    for (const flag of [`closing ${recordFlags.closing}`, `checkpoint ${recordFlags.checkpoint}`]) {
      expect(versions.get(flag) ?? since).toBe(since);
      versions.set(flag, since);
    }
  }
  const flags = billingUnits.map(({ since, recordFlags }) => `${since} ${JSON.stringify(recordFlags)}`);
  expect(new Set(flags).size).toBe(new Set(billingUnits.map(({ since }) => since)).size);
});

test("units are listed in the order in which they were added, and each unit since version 3 has flags", () => {
  const versions = billingUnits.map(({ since }) => since);
  expect(versions).toEqual(versions.toSorted((one, other) => one - other));
  for (const { since, recordFlags } of billingUnits) expect(recordFlags !== null).toBe(since > 2);
});

describe.each(countedUnits)("$name", ({ name, price, countsPerPrice, costLine }) => {
  const usage = { ...NO_USAGE, [name]: 3 * countsPerPrice };
  const cost = (3n * (prices[price] as bigint)) / PICO_PER_NANO;

  test("costs its count times its price", () => {
    expect(priceCall(usage, everyPrice)).toBe(cost);
    expect(priceCall(usage, tokenPrice(1_000n, 1_000n, { ...prices, [price]: null }))).toBe(0n);
  });

  test("has its own line in the cost breakdown", () => {
    const ratePerMillion = ((prices[price] as bigint) * 1_000_000n) / PICO_PER_NANO;
    expect(listCostLines(usage, everyPrice, cost)).toEqual([
      { unit: costLine, count: 3, ratePerMillion, amount: cost },
    ]);
  });

  test("is not a plain token", () => {
    expect(isPlainUsage(usage)).toBe(false);
  });
});

describe.each(tokenUnits)("$name", ({ name, partOf, price, costLine }) => {
  const usage = { ...NO_USAGE, [name]: 3, ...(partOf !== null && { [partOf]: 3 }) };
  const cost = (3n * (prices[price] as bigint)) / PICO_PER_NANO;

  test("costs its count times its price, instead of the price of the counter that includes it", () => {
    expect(priceCall(usage, everyPrice)).toBe(cost);
    expect(listCostLines(usage, everyPrice, cost)).toMatchObject([{ unit: costLine, count: 3, amount: cost }]);
  });
});

test.each(billingUnits)("the price of $name changes the ID of a price version", ({ price }) => {
  expect(priceVersionId("m", { ...everyPrice, [price]: 7n })).not.toBe(priceVersionId("m", everyPrice));
});
