import type { Mode, Review } from "../src/model.ts";
import type { FlatPrices } from "./flat-prices.ts";
import type { Fact } from "./read-facts.ts";
import type { ListedRule } from "./read-price-list.ts";

/** All data about one model. */
export interface GatheredModel {
  readonly provider: string;
  readonly model: string;
  readonly mode: Mode;
  readonly maxInputTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly supports: readonly string[];
  readonly deprecatedOn: string | undefined;
  readonly prices: FlatPrices;
  readonly rules: readonly ListedRule[];
  readonly imageSizes: ReadonlyMap<string, bigint>;
  readonly review: readonly Review<bigint>[];
}

const IMAGE_SIZE = /^((?:[a-z]+\/)?\d+-x-\d+)\/(.+)$/;

/** Returns one entry per model: merges rows for the same model, and turns rows per image size into prices. */
export function gatherModels(facts: readonly Fact[]): GatheredModel[] {
  const rows = new Map<string, Fact[]>();
  const sizes = new Map<string, Map<string, bigint>>();
  for (const fact of facts) {
    const sized = IMAGE_SIZE.exec(fact.model);
    if (sized) addSize(sizes, `${fact.provider}/${sized[2]}`, sized[1] as string, fact);
    else append(rows, `${fact.provider}/${fact.model}`, fact);
  }
  return [...rows].map(([id, same]) => ({ ...joinRows(same), imageSizes: sizes.get(id) ?? new Map() }));
}

/**
 * Merges rows. The row with the full name takes precedence, and the other rows fill gaps. Differing prices are marked
 * for review.
 */
function joinRows(unordered: readonly Fact[]): Omit<GatheredModel, "imageSizes"> {
  const rows = unordered.toSorted((left, right) => Number(right.isPrefixed) - Number(left.isPrefixed));
  const [lead, ...others] = rows;
  if (!lead) throw new Error("a model has no rows");
  const prices = new Map(lead.prices);
  const review: Review<bigint>[] = [];
  for (const other of others) {
    for (const [field, amount] of other.prices) {
      const kept = prices.get(field);
      if (kept === undefined) prices.set(field, amount);
      else if (kept !== amount) review.push({ field, first: kept, second: amount });
    }
  }
  return {
    provider: lead.provider,
    model: lead.model,
    mode: lead.mode,
    maxInputTokens: rows.map((row) => row.maxInputTokens).find(Number.isInteger),
    maxOutputTokens: rows.map((row) => row.maxOutputTokens).find(Number.isInteger),
    supports: [...new Set(rows.flatMap((row) => row.supports))].sort(),
    deprecatedOn: rows.map((row) => row.deprecatedOn).find((day) => day !== undefined),
    prices,
    rules: rows.map((row) => row.rules).find((rules) => rules.length > 0) ?? [],
    review,
  };
}

/**
 * Adds the price for an image size. The price list puts the price of a generated image in the column for input images.
 */
function addSize(sizes: Map<string, Map<string, bigint>>, id: string, size: string, fact: Fact): void {
  const price = fact.prices.get("inputPerImage") ?? 0n;
  if (price === 0n) return;
  const known = sizes.get(id) ?? new Map<string, bigint>();
  sizes.set(id, known.set(size.replace("-x-", "x"), price));
}

function append(rows: Map<string, Fact[]>, id: string, fact: Fact): void {
  const known = rows.get(id);
  if (known) known.push(fact);
  else rows.set(id, [fact]);
}
