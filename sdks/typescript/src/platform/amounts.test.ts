import { expect, test } from "vitest";
import { readAmounts } from "./amounts.ts";

test("amounts of any size are read from their text", () => {
  const usd = { balance: "9007199.254740993" };
  expect(readAmounts({ balance: 9_007_199_254_740_992, rows: 3, usd })).toEqual({
    balance: 9_007_199_254_740_993n,
    rows: 3,
    usd,
  });
});

test("amounts in a nested group are read from the record's text", () => {
  const usd = { total: "0.000000034", daily: "0.000000005" };
  const key = { id: "key_1", usage: { total: 34, daily: 5, calls: 2 }, usd };
  expect(readAmounts(key)).toEqual({ id: "key_1", usage: { total: 34n, daily: 5n, calls: 2 }, usd });
});

test("a group that has its own amounts as text uses them instead of the record's text", () => {
  const budget = { limit: 7, usd: { limit: "0.000000007" } };
  expect(readAmounts({ budget, usd: { limit: "0.000000009" } })).toMatchObject({ budget: { limit: 7n } });
});
