import { describe, expect, test } from "vitest";
import { readBuiltInCatalog } from "./catalog.ts";
import type { CatalogFile, ModelRecord } from "./model.ts";
import { type DisputePolicy, disputeDigest, type PriceChoice, settleDisputes } from "./settle-disputes.ts";

const higher: DisputePolicy = { rule: "higher", confirmations: new Map() };

const record: ModelRecord = {
  id: "acme/chat",
  mode: "chat",
  prices: { input: 140, output: 280, cacheRead: 14, tiers: [{ aboveInputTokens: 200_000, prices: { input: 300 } }] },
  review: [
    { field: "input", first: 140, second: 220 },
    { field: "output", first: 280, second: 200 },
    { field: "cacheWrite", first: null, second: 275 },
    { field: "outputReasoning", first: null, second: 30 },
    { field: "inputAbove200000", first: 300, second: 440 },
    { field: "outputAbove200000", first: null, second: 560 },
    { field: "inputAudio", first: 0, second: null },
  ],
};

const confirmedAs = (choice: PriceChoice, digest = disputeDigest(record) ?? ""): DisputePolicy => ({
  rule: "refuse",
  confirmations: new Map([[record.id, { choice, digest }]]),
});

describe("disputed prices", () => {
  test("the higher amount of each price applies, and an amount of one source never lowers a price", () => {
    const { prices, isRefused } = settleDisputes(record, higher);
    expect(isRefused).toBe(false);
    expect(prices).toEqual({
      input: 220,
      output: 280,
      cacheRead: 14,
      cacheWrite: 275, // Higher than the input price, which would apply without it.
      tiers: [{ aboveInputTokens: 200_000, prices: { input: 440, output: 560 } }],
    });
  });

  test("lists the amounts of both sources and the one that applies", () => {
    const { disputes } = settleDisputes(record, higher);
    expect(disputes.map(({ field }) => field)).not.toContain("inputAudio");
    expect(disputes[0]).toEqual({ field: "input", first: 140n, second: 220n, applied: 220n });
    expect(disputes[3]).toEqual({ field: "outputReasoning", first: null, second: 30n, applied: null });
  });

  test("raise the prices under conditions in proportion, and never lower them", () => {
    const rules = [
      { when: { serviceTier: "batch" }, prices: { input: 70, output: 140 } },
      {
        when: { serviceTier: "priority" },
        prices: { input: 280, cacheRead: 28 },
        tier: { aboveInputTokens: 200_000, prices: { input: 600 } },
      },
    ];
    const ruled = { ...record, prices: { ...record.prices, rules } };
    expect(settleDisputes(ruled, higher).prices.rules).toEqual([
      // Cache writes would otherwise cost as much as in the base price.
      { when: { serviceTier: "batch" }, prices: { input: 110, output: 140, cacheWrite: 138 } },
      {
        when: { serviceTier: "priority" },
        prices: { input: 440, cacheRead: 28, cacheWrite: 550 },
        tier: { aboveInputTokens: 200_000, prices: { input: 880 } },
      },
    ]);
    const lower = { ...ruled, review: [{ field: "input", first: 140, second: 100 }] };
    expect(settleDisputes(lower, confirmedAs("second", disputeDigest(lower) ?? "")).prices).toMatchObject({
      input: 100,
      rules,
    });
  });

  test("are refused under that rule until an operator confirms them", () => {
    expect(settleDisputes(record, { ...higher, rule: "refuse" }).isRefused).toBe(true);
    expect(settleDisputes(record, confirmedAs("higher"))).toMatchObject({ isRefused: false, disputes: [] });
    expect(settleDisputes(record, confirmedAs("first")).prices).toEqual({
      input: 140,
      output: 280,
      cacheRead: 14,
      tiers: [{ aboveInputTokens: 200_000, prices: { input: 300 } }],
    });
    expect(settleDisputes(record, confirmedAs("second")).prices).toMatchObject({ input: 220, output: 200 });
  });

  test("are open again if an amount changes after the confirmation", () => {
    const changed = { ...record, review: [{ field: "input", first: 140, second: 221 }] };
    const { isRefused, disputes } = settleDisputes(changed, confirmedAs("first"));
    expect(isRefused).toBe(true);
    expect(disputes).toHaveLength(1);
  });

  test("don't exist for amounts that are implausible", () => {
    const review = [{ field: "input", first: 140, second: 5_000_000_000 }];
    expect(settleDisputes({ ...record, review }, higher)).toMatchObject({ disputes: [], prices: { input: 140 } });
  });
});

test("no disputed price of the built-in catalog is below a plausible amount of a source", () => {
  const { models } = JSON.parse(readBuiltInCatalog()) as CatalogFile;
  const disputed = models.filter((model) => disputeDigest(model) !== null);
  expect(disputed.length).toBeGreaterThan(50);
  for (const model of disputed) {
    for (const { field, first, second, applied } of settleDisputes(model, higher).disputes) {
      if (applied === null) continue;
      expect(applied >= (second ?? 0n), `${model.id} ${field}`).toBe(true);
      if (first !== null && first < 1_000_000_000n) expect(applied >= first, `${model.id} ${field}`).toBe(true);
    }
  }
});
