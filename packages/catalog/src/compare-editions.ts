import type { Catalog } from "./catalog.ts";
import type { Model, Prices } from "./model.ts";

/** One price that differs between two editions; null if an edition doesn't have it. */
export interface PriceChange {
  /** Such as `input`, `inputAbove200000`, `size high/1024x1024`, or `input, service tier flex`. */
  readonly field: string;
  readonly before: bigint | null;
  readonly after: bigint | null;
}

/** A model whose prices differ between two editions. */
export interface ModelChange {
  readonly model: string;
  readonly kind: "added" | "removed" | "changed";
  readonly prices: readonly PriceChange[];
  /** True if the model's prices are disputed in the new edition. */
  readonly isDisputed: boolean;
}

/** Returns the models whose prices differ, sorted by ID. Disputed prices are compared as they apply on this server. */
export function compareEditions(before: Catalog, after: Catalog): readonly ModelChange[] {
  const former = new Map(before.models().map((model) => [model.id, model]));
  const latter = new Map(after.models().map((model) => [model.id, model]));
  const ids = [...new Set([...former.keys(), ...latter.keys()])].sort();
  return ids.flatMap((model): ModelChange[] => {
    const [old, now] = [former.get(model), latter.get(model)];
    const prices = compareModels(old, now);
    const isDisputed = (now?.disputes.length ?? 0) > 0;
    if (old === undefined) return [{ model, kind: "added", prices, isDisputed }];
    if (now === undefined) return [{ model, kind: "removed", prices, isDisputed }];
    return prices.length === 0 ? [] : [{ model, kind: "changed", prices, isDisputed }];
  });
}

/** Orders editions such as `2026-08.1`: by month, then by number. */
export function compareEditionNames(one: string, other: string): number {
  const [oneMonth = "", oneNumber = "0"] = one.split(".");
  const [otherMonth = "", otherNumber = "0"] = other.split(".");
  if (oneMonth !== otherMonth) return oneMonth < otherMonth ? -1 : 1;
  return Number(oneNumber) - Number(otherNumber);
}

function compareModels(before: Model | undefined, after: Model | undefined): readonly PriceChange[] {
  const old = flatten(before?.prices ?? {});
  const now = flatten(after?.prices ?? {});
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field): PriceChange[] => {
    const change = { field, before: old.get(field) ?? null, after: now.get(field) ?? null };
    return change.before === change.after ? [] : [change];
  });
}

/** Returns all amounts by a name that says when they apply. */
function flatten(prices: Prices<bigint>): ReadonlyMap<string, bigint> {
  const { tiers = [], imageSizes = {}, rules = [], ...table } = prices;
  const flat = new Map<string, bigint>();
  const add = (amounts: object, suffix: string) => {
    for (const [field, amount] of Object.entries(amounts)) flat.set(`${field}${suffix}`, amount as bigint);
  };
  add(table, "");
  for (const tier of tiers) add(tier.prices, `Above${tier.aboveInputTokens}`);
  for (const [size, amount] of Object.entries(imageSizes)) flat.set(`size ${size}`, amount);
  for (const { when, prices: own, tier } of rules) {
    const condition = Object.entries(when)
      .map(([name, value]) => `${name} ${typeof value === "object" ? value.name : value}`)
      .join(", ");
    add(own, `, ${condition}`);
    if (tier !== undefined) add(tier.prices, `Above${tier.aboveInputTokens}, ${condition}`);
  }
  return flat;
}
