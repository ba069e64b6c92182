import { billingUnits, type OptionalPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import type { PriceFacts } from "./price-facts.ts";
import { combineHours, hoursAt, isSameRange, type PriceHours } from "./price-hours.ts";
import { tokenPrice, withLongCacheInTier } from "./token-price.ts";

/** A model's prices: the base price, and the rules for the conditions under which other rates apply. */
export interface RateCard {
  readonly base: Price;
  /** All matching rules apply, and a later rule takes precedence. */
  readonly rules: readonly PriceRule[];
}

/** Rates that apply under a condition. Units without a rate keep theirs. */
export interface PriceRule {
  readonly when: PriceCondition;
  readonly prices: Partial<OptionalPrices>;
  /** Rates for long prompts under this condition. If absent, they are at least the base price's. */
  readonly tier?: PriceTier | null;
}

/** Facts that must all be true. */
export interface PriceCondition {
  /** The service tier that served the call, such as `priority`, `flex`, or `batch`. */
  readonly serviceTier?: string;
  /** The amount of context that a search adds: `low`, `medium`, or `high`. */
  readonly searchContext?: string;
  /** The region that served the call. */
  readonly region?: string;
  readonly hours?: PriceHours;
  /** The prompt, including cached tokens, has more tokens than this. */
  readonly aboveInputTokens?: number;
}

/** The price under one condition of a card. */
export interface ConditionalPrice {
  readonly price: Price;
  /** The condition as text, such as `service tier priority`; null for the base price. */
  readonly condition: string | null;
}

/** Returns a price that has no condition. */
export function unconditional(price: Price): ConditionalPrice {
  return { price, condition: null };
}

/** Maximum number of rules of a card. A set of rules is a number with one bit for each, which must be exact. */
export const MAX_CARD_RULES = 52;
/** Maximum number of rules that an operator can set for a price. They apply in addition to those of the catalog. */
export const MAX_PRICE_RULES = 30;
/** Maximum number of rules of a model in the catalog. */
export const MAX_CATALOG_RULES = MAX_CARD_RULES - MAX_PRICE_RULES;

const NO_HOURS: readonly PriceHours[] = [];

/** Returns the price of a call that was served with these facts and ended at this time. */
export function resolvePrice(card: RateCard, facts: PriceFacts, inputTokens: number, atMs: number): ConditionalPrice {
  const compiled = compile(card);
  const { hours, last } = compiled;
  if (hours.length > 0) return priceOfRules(card, matchingRules(card, facts, inputTokens, hoursAt(hours, atMs)));
  // Nearly all requests ask for nothing special, so they share one object of facts.
  const bands = countBands(compiled, inputTokens);
  if (last.resolved !== null && last.facts === facts && last.bands === bands) return last.resolved;
  const resolved = priceOfRules(card, matchingRules(card, facts, inputTokens, NO_HOURS));
  compiled.last = { facts, bands, resolved };
  return resolved;
}

/** Returns the price of a call that ended during all of these hours, and outside all others. */
export function priceDuring(
  card: RateCard,
  facts: PriceFacts,
  inputTokens: number,
  during: readonly PriceHours[],
): ConditionalPrice {
  return priceOfRules(card, matchingRules(card, facts, inputTokens, during));
}

/** Returns every price of a card. A provider can serve something else than what a request asks for. */
export function pricesOfCard(card: RateCard): readonly ConditionalPrice[] {
  const values = (fact: keyof PriceFacts) => [null, ...card.rules.flatMap(({ when }) => when[fact] ?? [])];
  return combine(card, {
    serviceTiers: values("serviceTier"),
    searchContexts: values("searchContext"),
    regions: values("region"),
    maxInputTokens: Number.POSITIVE_INFINITY,
  });
}

/** Tiers that a provider serves or refuses. Other tiers can be served at the base tier instead. */
const exactTiers: ReadonlySet<string> = new Set(["flex"]);

/** No other tiers than the base tier and the one that the request names. */
export const NO_OTHER_TIERS: readonly string[] = [];

/**
 * Returns the price that a hold must cover: at least as high, for every unit, as each price that is possible for a
 * request with these facts and at most this much input. It is served at the base tier, at its own, or at one of the
 * other tiers, in any region, and at any time. A request for `flex` is served at no other tier. The price is computed
 * once.
 */
export function maximumPrice(
  card: RateCard,
  facts: PriceFacts,
  inputTokens: number,
  otherTiers: readonly string[] = NO_OTHER_TIERS,
): Price {
  const compiled = compile(card);
  const bands = countBands(compiled, inputTokens);
  const { lastMaximum: last } = compiled;
  if (last !== null && last.facts === facts && last.bands === bands && last.otherTiers === otherTiers) {
    return last.maximum;
  }
  const maximum = findMaximum(card, facts, inputTokens, bands, otherTiers);
  compiled.lastMaximum = { facts, bands, otherTiers, maximum };
  return maximum;
}

function findMaximum(
  card: RateCard,
  facts: PriceFacts,
  inputTokens: number,
  bands: number,
  otherTiers: readonly string[],
): Price {
  const { maximums } = compile(card);
  // Only facts that the card names are part of the key, so clients can't fill the memory with other values.
  const serviceTiers = [facts.serviceTier, ...otherTiers].map((tier) => nameIn(card, "serviceTier", tier));
  const searchContext = nameIn(card, "searchContext", facts.searchContext);
  const isExact = serviceTiers[0] != null && exactTiers.has(serviceTiers[0]);
  const key = `${serviceTiers.join()}\n${searchContext}\n${bands}`;
  const found = maximums.get(key);
  if (found !== undefined) return found;
  const made = maximumOf(
    combine(card, {
      serviceTiers: isExact ? serviceTiers : [null, ...serviceTiers],
      searchContexts: [searchContext],
      // The response names the region, and it can be another one than the request names, or none.
      regions: [null, ...card.rules.flatMap(({ when }) => when.region ?? [])],
      maxInputTokens: inputTokens,
    }),
  );
  maximums.set(key, made);
  return made;
}

/** Values that are derived from a card, and the last results for it. */
interface CompiledCard {
  readonly hours: readonly PriceHours[];
  readonly serviceTiers: readonly string[];
  /** Prompt sizes above which other rates apply. */
  readonly sizes: readonly number[];
  readonly byRules: Map<number, ConditionalPrice>;
  readonly byText: Map<string, ConditionalPrice>;
  readonly maximums: Map<string, Price>;
  last: { readonly facts: PriceFacts | null; readonly bands: number; readonly resolved: ConditionalPrice | null };
  lastMaximum: {
    readonly facts: PriceFacts;
    readonly bands: number;
    readonly otherTiers: readonly string[];
    readonly maximum: Price;
  } | null;
}

const compiledCards = new WeakMap<RateCard, CompiledCard>();

function compile(card: RateCard): CompiledCard {
  const known = compiledCards.get(card);
  if (known !== undefined) return known;
  const made: CompiledCard = {
    hours: card.rules.flatMap(({ when }) => when.hours ?? []),
    serviceTiers: [...new Set(card.rules.flatMap(({ when }) => when.serviceTier ?? []))],
    sizes: card.rules.flatMap(({ when }) => when.aboveInputTokens ?? []),
    byRules: new Map(),
    byText: new Map(),
    maximums: new Map(),
    last: { facts: null, bands: 0, resolved: null },
    lastMaximum: null,
  };
  compiledCards.set(card, made);
  return made;
}

/** Returns the number of prompt sizes that a prompt exceeds. */
function countBands({ sizes }: CompiledCard, inputTokens: number): number {
  let bands = 0;
  for (const size of sizes) if (inputTokens > size) bands += 1;
  return bands;
}

/**
 * Returns the card of a deployment that serves all calls in one region, or in none that the card names. Its price then
 * depends on no region.
 */
export function cardInRegion({ base, rules }: RateCard, region: string | null): RateCard {
  let own = base;
  const left: PriceRule[] = [];
  for (const rule of rules) {
    const { region: named, ...when } = rule.when;
    if (named === undefined) left.push(rule);
    else if (named === region && Object.keys(when).length === 0) own = applyRule(own, rule);
    else if (named === region) left.push({ ...rule, when });
  }
  return { base: own, rules: left };
}

function nameIn({ rules }: RateCard, fact: keyof PriceFacts, name: string | null): string | null {
  return rules.some(({ when }) => when[fact] === name) ? name : null;
}

/** Facts that can occur together. */
interface PossibleFacts {
  readonly serviceTiers: readonly (string | null)[];
  readonly searchContexts: readonly (string | null)[];
  readonly regions: readonly (string | null)[];
  readonly maxInputTokens: number;
}

/** Returns the prices of all combinations of these facts, at any time and for any prompt up to the maximum. */
function combine(card: RateCard, possible: PossibleFacts): readonly [ConditionalPrice, ...ConditionalPrice[]] {
  const hours = combineHours(compile(card).hours);
  const sizes = [
    0,
    ...card.rules.flatMap(({ when }) => (when.aboveInputTokens ?? Number.POSITIVE_INFINITY) + 1),
  ].filter((size) => size === 0 || (size <= possible.maxInputTokens && Number.isFinite(size)));
  const found = new Set<ConditionalPrice>();
  for (const serviceTier of possible.serviceTiers) {
    for (const searchContext of possible.searchContexts) {
      for (const region of possible.regions) {
        for (const during of hours) {
          for (const size of sizes) {
            found.add(priceOfRules(card, matchingRules(card, { serviceTier, searchContext, region }, size, during)));
          }
        }
      }
    }
  }
  const [first, ...others] = found;
  // The sizes include 0, so there is at least one price.
  return [first as ConditionalPrice, ...others];
}

function maximumOf([first, ...others]: readonly [ConditionalPrice, ...ConditionalPrice[]]): Price {
  return others.reduce((highest, { price }) => higherOf(highest, price), first.price);
}

/** Returns the names of the service tiers that have their own rates. */
export function serviceTiersOf(card: RateCard): readonly string[] {
  return compile(card).serviceTiers;
}

function matchingRules(card: RateCard, facts: PriceFacts, inputTokens: number, during: readonly PriceHours[]): number {
  let matching = 0;
  card.rules.forEach(({ when }, index) => {
    const { serviceTier, searchContext, region, hours, aboveInputTokens } = when;
    if (serviceTier !== undefined && serviceTier !== facts.serviceTier) return;
    if (searchContext !== undefined && searchContext !== facts.searchContext) return;
    if (region !== undefined && region !== facts.region) return;
    if (hours !== undefined && !during.some((one) => one === hours || isSameRange(one, hours))) return;
    if (aboveInputTokens !== undefined && inputTokens <= aboveInputTokens) return;
    matching += 2 ** index;
  });
  return matching;
}

/** Returns the price under these rules. Each set of rules is resolved once, so that its result can be a key. */
function priceOfRules(card: RateCard, matching: number): ConditionalPrice {
  const { byRules: known } = compile(card);
  const found = known.get(matching);
  if (found !== undefined) return found;
  const rules = card.rules.filter((_, index) => Math.floor(matching / 2 ** index) % 2 === 1);
  const made = shared(card, { price: applyRules(card.base, rules), condition: describeRules(rules) });
  known.set(matching, made);
  return made;
}

/** Returns an equal price of the card, if there is one. Two ranges of peak hours often have the same prices. */
function shared(card: RateCard, made: ConditionalPrice): ConditionalPrice {
  const { byText } = compile(card);
  const text = JSON.stringify(made, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  const found = byText.get(text);
  if (found === undefined) byText.set(text, made);
  return found ?? made;
}

/**
 * Returns the price with the rates of these rules. A rule without a prompt size doesn't make a long prompt cheaper than
 * the earlier rules for its size do, because its rates are those of short prompts.
 */
function applyRules(base: Price, rules: readonly PriceRule[]): Price {
  let price = base;
  const forSize: Partial<OptionalPrices> = {};
  for (const rule of rules) {
    const isForSize = rule.when.aboveInputTokens !== undefined;
    if (isForSize) Object.assign(forSize, rule.prices);
    const isAsWritten = isForSize || Object.keys(forSize).length === 0;
    price = applyRule(price, isAsWritten ? rule : raiseRule(rule, forSize));
  }
  return price;
}

function raiseRule({ when, prices, tier }: PriceRule, least: Partial<OptionalPrices>): PriceRule {
  const raised = Object.entries(prices).map(([name, pico]) => [
    name,
    atLeast(pico ?? null, least[name as keyof OptionalPrices]),
  ]);
  return { when, prices: Object.fromEntries(raised), ...(tier !== undefined && { tier: raise(tier, least) }) };
}

/** Returns the price with the rates of a rule. */
function applyRule(price: Price, { prices, tier }: PriceRule): Price {
  const applied = tokenPrice(prices.input ?? price.input, prices.output ?? price.output, {
    ...price,
    ...withoutUndefined(prices),
    tier: tier === undefined ? raise(price.tier, prices) : tier,
  });
  return withLongCacheInTier(applied);
}

/** Returns the tier with at least these rates, so that a long prompt never costs less than the rule says. */
function raise(tier: PriceTier | null, prices: Partial<OptionalPrices>): PriceTier | null {
  if (tier === null) return null;
  return {
    aboveInputTokens: tier.aboveInputTokens,
    input: atLeast(tier.input, prices.input),
    output: atLeast(tier.output, prices.output),
    cacheRead: atLeast(tier.cacheRead, prices.cacheRead),
    cacheWrite: atLeast(tier.cacheWrite, prices.cacheWrite),
    longCacheWrite: atLeast(tier.longCacheWrite, prices.longCacheWrite),
  };
}

function atLeast(own: bigint | null | undefined, other: bigint | null | undefined): bigint | null {
  if (own == null || other == null) return own ?? null;
  return own > other ? own : other;
}

/** Maximum length of a condition, which the ledger stores. */
const MAX_CONDITION = 200;

/** Describes the facts that the rules name, each once. A long text is truncated. */
function describeRules(rules: readonly PriceRule[]): string | null {
  if (rules.length === 0) return null;
  const size = Math.max(...rules.map(({ when }) => when.aboveInputTokens ?? -1));
  const names = rules.flatMap(({ when }) => [
    ...(when.serviceTier === undefined ? [] : [`service tier ${when.serviceTier}`]),
    ...(when.searchContext === undefined ? [] : [`search context ${when.searchContext}`]),
    ...(when.region === undefined ? [] : [`region ${when.region}`]),
    ...(when.hours === undefined ? [] : [when.hours.name]),
  ]);
  const text = [...new Set(names), ...(size < 0 ? [] : [`input above ${size} tokens`])].join(", ");
  // A rule without conditions always applies.
  if (text === "") return null;
  return text.length <= MAX_CONDITION ? text : text.slice(0, MAX_CONDITION).toWellFormed();
}

/** Token prices that apply if a token type has no price of its own. */
const parents = {
  cacheRead: "input",
  cacheWrite: "input",
  audioInput: "input",
  reasoning: "output",
  audioOutput: "output",
} as const;

function higherOf(one: Price, other: Price): Price {
  const higher = Object.fromEntries(
    billingUnits.map(({ price }) => [price, higherPrice(effectiveRate(one, price), effectiveRate(other, price))]),
  ) as Record<keyof OptionalPrices, bigint | null>;
  return tokenPrice(higher.input as bigint, higher.output as bigint, {
    ...higher,
    tier: higherTier(one.tier, other.tier),
  });
}

/** Returns the rate of a unit. Token types without their own rate have that of the type they are part of. */
export function effectiveRate(price: Price, name: keyof OptionalPrices): bigint | null {
  if (name === "longCacheWrite") return price.longCacheWrite ?? price.cacheWrite ?? price.input;
  return price[name] ?? (name in parents ? price[parents[name as keyof typeof parents]] : null);
}

/** Returns the higher rates of both tiers. They apply from the lower threshold on. */
function higherTier(one: PriceTier | null, other: PriceTier | null): PriceTier | null {
  if (one === null || other === null) return one ?? other;
  return {
    aboveInputTokens: Math.min(one.aboveInputTokens, other.aboveInputTokens),
    input: higherPrice(one.input, other.input),
    output: higherPrice(one.output, other.output),
    cacheRead: higherPrice(one.cacheRead, other.cacheRead),
    cacheWrite: higherPrice(one.cacheWrite, other.cacheWrite),
    longCacheWrite: higherPrice(one.longCacheWrite ?? null, other.longCacheWrite ?? null),
  };
}

function higherPrice(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

function withoutUndefined(prices: Partial<OptionalPrices>): Partial<OptionalPrices> {
  const known = Object.entries(prices).filter(([, pico]) => pico !== undefined);
  return Object.fromEntries(known) as Partial<OptionalPrices>;
}
