import { expect, test } from "vitest";
import { findReportedDifferences } from "./find-reported-differences.ts";

const costs = (reported: bigint, computed: bigint, revenue: bigint) => [
  { provider: "openrouter", modelGroup: "sonnet", requests: 230, reported, computed, revenue },
];
const CENT = 10_000_000n;

test("fails if a provider charged more than the requests were sold for", () => {
  expect(findReportedDifferences(costs(120n * CENT, 100n * CENT, 110n * CENT))).toEqual([
    {
      name: "prices",
      state: "failed",
      text: "openrouter charged $1.2 for 230 requests to sonnet in 7 days, and they were sold for $1.1",
      fix: "Raise the prices of sonnet, or add a margin for openrouter.",
    },
  ]);
});

test("warns if the known prices differ from the charge in either direction, and a margin covers it", () => {
  for (const reported of [120n, 80n]) {
    expect(findReportedDifferences(costs(reported * CENT, 100n * CENT, 130n * CENT))).toMatchObject([
      { state: "warning", text: expect.stringContaining("but the known prices give $1") },
    ]);
  }
});

test("ignores differences of a percent, which come from rounding", () => {
  expect(findReportedDifferences(costs(101n, 100n, 100n))).toEqual([]);
  expect(findReportedDifferences(costs(99n, 100n, 100n))).toEqual([]);
  expect(findReportedDifferences(costs(0n, 0n, 0n))).toEqual([]);
});
