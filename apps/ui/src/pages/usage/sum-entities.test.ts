import { expect, test } from "vitest";
import { sumEntities, sumOfAll } from "./sum-entities.ts";
import type { UsageRow } from "./usage-view.ts";

const row = (model: string, change: Partial<UsageRow>): UsageRow => ({
  group: { day: "2026-11-12", model },
  requests: 0,
  succeeded: 0,
  failed: 0,
  refused: 0,
  rejected: 0,
  canceled: 0,
  errorRate: null,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  cost: 0n,
  avgCost: 0n,
  cacheHitRate: null,
  cacheSaved: 0n,
  p50LatencyMs: null,
  p95LatencyMs: null,
  p99LatencyMs: null,
  usd: {},
  ...change,
});

const modelOf = ({ group }: UsageRow) => group.model ?? "";

test("entity sums add up to the exact total in nano-USD", () => {
  const large = 9_007_199_254_740_993n;
  const rows = [row("a", { cost: large }), row("b", { cost: 1n }), row("a", { cost: 2n })];
  const sums = sumEntities(rows, modelOf, "spend");
  expect(sums.map(({ key, cost }) => [key, cost])).toEqual([
    ["a", large + 2n],
    ["b", 1n],
  ]);
  expect(sums.reduce((sum, { value }) => sum + value, 0n)).toBe(sumOfAll(rows, "spend").value);
});

test("counts cached tokens once, and not as uncached input", () => {
  const [sum] = sumEntities(
    [row("a", { promptTokens: 100, cachedTokens: 60, completionTokens: 7 })],
    modelOf,
    "tokens",
  );
  expect(sum).toMatchObject({ input: 40, cached: 60, output: 7, value: 107n });
});

test("counts failed requests as errors, and no refused ones, and lists the entity with the most errors first", () => {
  const rows = [row("a", { failed: 1, refused: 9 }), row("b", { failed: 3 })];
  expect(sumEntities(rows, modelOf, "errors").map(({ key, errors }) => [key, errors])).toEqual([
    ["b", 3],
    ["a", 1],
  ]);
});
