import { createHash } from "node:crypto";
import {
  type ConditionalPrices,
  type Dispute,
  type ModelRecord,
  type PriceField,
  type Prices,
  type PriceTier,
  priceFields,
  type Review,
} from "./model.ts";
import { isPlausiblePrice } from "./plausible-price.ts";

/** What applies to disputed prices until an operator confirms them: the higher amount, or no price at all. */
type DisputeRule = "higher" | "refuse";

/** An operator's choice between the amounts of two sources. */
export const priceChoices = ["higher", "first", "second"] as const;
export type PriceChoice = (typeof priceChoices)[number];

/** A confirmation applies as long as the disputed amounts are the same. */
interface PriceConfirmation {
  readonly choice: PriceChoice;
  /** The `disputeDigest` of the model when it was confirmed. */
  readonly digest: string;
}

/** What a server has decided about disputed prices. */
export interface DisputePolicy {
  readonly rule: DisputeRule;
  /** Confirmations by model ID. */
  readonly confirmations: ReadonlyMap<string, PriceConfirmation>;
}

interface SettledRecord {
  readonly prices: Prices<number>;
  readonly disputes: readonly Dispute[];
  readonly isRefused: boolean;
}

/** A record or a model. */
interface Reviewed<Amount> extends Pick<ModelRecord, "mode"> {
  readonly review?: readonly Review<Amount>[];
}

/** Identifies the amounts of a model's disputes; null if no price is disputed. */
export function disputeDigest<Amount extends number | bigint>(record: Reviewed<Amount>): string | null {
  const disputed = disputedFields(record);
  if (disputed.length === 0) return null;
  const text = disputed.map(({ field, first, second }) => `${field} ${first ?? "-"} ${second ?? "-"}`).join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Chooses the prices of a model whose sources disagree. */
export function settleDisputes(record: ModelRecord, policy: DisputePolicy): SettledRecord {
  const { prices = {} } = record;
  const disputed = disputedFields(record);
  if (disputed.length === 0) return { prices, disputes: [], isRefused: false };
  const confirmed = policy.confirmations.get(record.id);
  const isConfirmed = confirmed !== undefined && confirmed.digest === disputeDigest(record);
  const choice = isConfirmed ? confirmed.choice : "higher";
  const settled = withAmounts(prices, chooseAmounts(disputed, choice, record));
  if (isConfirmed) return { prices: settled, disputes: [], isRefused: false };
  const disputes = disputed.map(
    ({ field, first, second }): Dispute => ({
      field,
      first: toBigInt(first),
      second: toBigInt(second),
      applied: toBigInt(amountOf(settled, field)),
    }),
  );
  return { prices: settled, disputes, isRefused: policy.rule === "refuse" };
}

/** Returns the prices with at least one plausible amount that another source doesn't share. */
function disputedFields<Amount extends number | bigint>({
  mode,
  review = [],
}: Reviewed<Amount>): readonly Review<Amount>[] {
  const isPlausible = (field: string, amount: Amount | null) =>
    amount !== null && isPlausiblePrice(mode, baseField(field), BigInt(amount));
  return review.filter(({ field, first, second }) => second !== null && isPlausible(field, second) && first !== second);
}

/** Chooses one amount per field. A field can be disputed twice, within a source and between sources. */
function chooseAmounts(disputed: readonly Review<number>[], choice: PriceChoice, record: ModelRecord): Chosen {
  const chosen = new Map<string, ReturnType<typeof chooseAmount>>();
  for (const one of disputed) {
    const other = chosen.get(one.field);
    const own = chooseAmount(one, choice, record);
    if (other === undefined || (own.amount ?? 0) > (other.amount ?? 0)) chosen.set(one.field, own);
  }
  return chosen;
}

function chooseAmount(
  { field, first, second }: Review<number>,
  choice: PriceChoice,
  { mode }: ModelRecord,
): { readonly amount: number | null; readonly isMinimum: boolean } {
  const plausible = [first, second].filter(
    (amount): amount is number => amount !== null && isPlausiblePrice(mode, baseField(field), BigInt(amount)),
  );
  if (choice === "higher") {
    // An amount that only one source has must not lower the price that applies without it.
    return { amount: Math.max(...plausible), isMinimum: plausible.length === 1 };
  }
  const own = choice === "first" ? first : second;
  return { amount: own !== null && plausible.includes(own) ? own : null, isMinimum: false };
}

type Amounts = { [field in PriceField]?: number };
type Chosen = ReadonlyMap<string, ReturnType<typeof chooseAmount>>;

const TIER = /^(\w+)Above(\d+)$/;
const baseField = (field: string): string => TIER.exec(field)?.[1] ?? field;

/** Prices that apply if a token type has no price of its own. */
const parents: { readonly [field in PriceField]?: PriceField } = {
  cacheRead: "input",
  cacheWrite: "input",
  inputAudio: "input",
  longCacheWrite: "cacheWrite",
  outputReasoning: "output",
  outputAudio: "output",
};

function withAmounts(prices: Prices<number>, chosen: Chosen): Prices<number> {
  const { tiers = [], imageSizes, rules = [], ...table } = prices;
  const base: Amounts = { ...table };
  for (const field of priceFields) {
    const choice = chosen.get(field);
    if (choice === undefined) continue;
    const without = base[field] ?? parentAmount(base, field);
    set(base, field, choice, without);
  }
  const bounds = [...tiers.map(({ aboveInputTokens }) => aboveInputTokens), ...tierBounds(chosen)];
  const settled = [...new Set(bounds)]
    .sort((one, other) => one - other)
    .flatMap((aboveInputTokens): PriceTier<number>[] => {
      const known = tiers.find((tier) => tier.aboveInputTokens === aboveInputTokens);
      const own: Amounts = { ...known?.prices };
      for (const field of priceFields) {
        const choice = chosen.get(`${field}Above${aboveInputTokens}`);
        if (choice !== undefined) set(own, field, choice, own[field] ?? base[field] ?? parentAmount(base, field));
      }
      return Object.keys(own).length === 0 ? [] : [{ aboveInputTokens, prices: own }];
    });
  const raise = (rule: ConditionalPrices<number>): ConditionalPrices<number> => {
    const { prices: own, tier } = rule;
    if (tier === undefined) return { ...rule, prices: raiseTable(own, table, base) };
    const tierPrices = raiseTable(tier.prices, inTier(table, tiers, tier), inTier(base, settled, tier));
    return { ...rule, prices: raiseTable(own, table, base), tier: { ...tier, prices: tierPrices } };
  };
  return {
    ...base,
    ...(settled.length > 0 && { tiers: settled }),
    ...(imageSizes && { imageSizes }),
    ...(rules.length > 0 && { rules: rules.map(raise) }),
  };
}

/**
 * Raises the prices under a condition in proportion to the base prices, because providers define them as multiples of
 * these. A price is never lowered.
 */
function raiseTable(own: Amounts, before: Amounts, after: Amounts): Amounts {
  const raised: Amounts = { ...own };
  for (const field of priceFields) {
    const [former, latter] = [rateOf(before, field), rateOf(after, field)];
    // Without its own price, a token type follows the type it is part of, until the base price has one for it.
    const isNew = before[field] === undefined && after[field] !== undefined;
    const amount = own[field] ?? (isNew ? parentAmount(own, field) : undefined);
    if (amount === undefined || !former || latter === undefined || latter <= former) continue;
    raised[field] = Number((BigInt(amount) * BigInt(latter) + BigInt(former) - 1n) / BigInt(former));
  }
  return raised;
}

/** Returns the base prices with those of the tier for long prompts that begins at the same size. */
function inTier(
  base: Amounts,
  tiers: readonly PriceTier<number>[],
  { aboveInputTokens }: Pick<PriceTier<number>, "aboveInputTokens">,
): Amounts {
  return { ...base, ...tiers.find((tier) => tier.aboveInputTokens === aboveInputTokens)?.prices };
}

function rateOf(amounts: Amounts, field: PriceField): number | undefined {
  return amounts[field] ?? parentAmount(amounts, field);
}

function set(amounts: Amounts, field: PriceField, choice: ReturnType<typeof chooseAmount>, without?: number): void {
  const { amount, isMinimum } = choice;
  if (isMinimum && amount !== null && without !== undefined && amount <= without) return;
  if (amount === null) delete amounts[field];
  else amounts[field] = amount;
}

function parentAmount(amounts: Amounts, field: PriceField): number | undefined {
  const parent = parents[field];
  if (parent === undefined) return undefined;
  return amounts[parent] ?? parentAmount(amounts, parent);
}

function tierBounds(chosen: Chosen): readonly number[] {
  return [...chosen.keys()].flatMap((field) => {
    const bound = TIER.exec(field)?.[2];
    return bound === undefined ? [] : [Number(bound)];
  });
}

/** Returns the amount of a field such as `input` or `inputAbove200000`; null if the prices don't have it. */
function amountOf(prices: Prices<number>, field: string): number | null {
  const [, base, bound] = TIER.exec(field) ?? [null, field, null];
  const table =
    bound === null ? prices : prices.tiers?.find(({ aboveInputTokens }) => aboveInputTokens === Number(bound))?.prices;
  return table?.[base as PriceField] ?? null;
}

function toBigInt(amount: number | null): bigint | null {
  return amount === null ? null : BigInt(amount);
}
