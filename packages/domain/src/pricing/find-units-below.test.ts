import { expect, test } from "vitest";
import { findUnitsBelow } from "./find-units-below.ts";
import { tokenPrice } from "./token-price.ts";

const cost = tokenPrice(100n, 200n, { cacheRead: 10n, perRequest: 5n, perWebSearch: 7n });

test("finds rates that are lower, and fees that are missing", () => {
  expect(findUnitsBelow(cost, cost)).toEqual([]);
  expect(findUnitsBelow({ ...cost, output: 199n }, cost)).toContain("output");
  expect(findUnitsBelow({ ...cost, perRequest: null }, cost)).toEqual(["perRequest"]);
});

test("a token type without a rate has the rate of the type it is part of", () => {
  expect(findUnitsBelow({ ...cost, cacheRead: null }, cost)).toEqual([]);
  expect(findUnitsBelow(tokenPrice(100n, 200n, { perRequest: 5n }), { ...cost, cacheWrite: 125n })).toEqual([
    "cacheWrite",
    "longCacheWrite",
  ]);
});

test("a tool without a price is refused, so it is not sold below its cost", () => {
  expect(findUnitsBelow({ ...cost, perWebSearch: null }, cost)).toEqual([]);
});
