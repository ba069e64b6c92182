import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_PRICE_FACTS, type PriceFacts } from "@tollgate/domain/pricing/price-facts.ts";
import { pricePairs } from "@tollgate/domain/pricing/price-pairs.ts";
import { soldVersion } from "@tollgate/domain/pricing/price-version.ts";
import {
  type ConditionalPrice,
  maximumPrice,
  NO_OTHER_TIERS,
  pricesOfCard,
  type RateCard,
  resolvePrice,
  serviceTiersOf,
  unconditional,
} from "@tollgate/domain/pricing/rate-card.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Call } from "../call/call.ts";
import type { Deployment, Priced } from "../call/deployment.ts";
import { estimateBilledInput } from "../operations/estimate-input.ts";
import {
  hasOpenTier,
  leavesTierOpen,
  type NamedTier,
  namedTiers,
  requestedFacts,
  type TierField,
} from "../operations/requested-facts.ts";

/** The prices of a call on a deployment whose price depends on what the provider serves. */
export interface ConditionalPrices {
  readonly card: RateCard;
  /** What the request asks for. */
  readonly facts: PriceFacts;
  /** True if the request leaves the service tier to the provider's account. */
  readonly isTierOpen: boolean;
  /** True if the request names no tier, so that the served one is that of the provider's account. */
  readonly notesTier: boolean;
  /** True if complete responses name the tier. Other operations have none, and often no usage report either. */
  readonly isTierShown: boolean;
  /** The price if the provider serves what the request asks for, with all prices of the card. */
  readonly requested: Priced;
  /** The highest price of each unit, for the hold. */
  readonly maximum: Price;
}

/** Returns the prices of a call, or null if the deployment's price has no conditions. */
export function conditionalPrices(call: Call, deployment: Deployment): ConditionalPrices | null {
  const { rateCard: card } = deployment.facts;
  // Prices by quality and size of an image have no conditions.
  if (card == null || (call.kind.pricedAs !== undefined && deployment.facts.imagePrices.size > 0)) return null;
  const { request } = call.body;
  const named = namedTiers(request);
  // A tier that doesn't reach the provider must not hide another one that does.
  const sent = named.length === 0 ? named : named.filter(({ field }) => isSent(field, call, deployment));
  const facts = requestedFacts(request, call.parts.tools, sent[0]?.tier ?? null);
  const notesTier = leavesTierOpen(request);
  const isTierOpen = sent.length === 0 && (hasOpenTier(request) || !isSent("service_tier", call, deployment));
  const isTierShown = call.kind.writesText === true && namesTier.has(deployment.provider.name);
  const otherTiers = isTierOpen ? accountTiersOf(deployment, card) : unnamedTiersOf(deployment, sent);
  const maximum = maximumPrice(card, facts, estimateBilledInput(call, deployment), otherTiers);
  const resolved = resolvePrice(card, facts, 0, call.exchange.admittedAtMs);
  const bought = boughtAt(deployment, facts, 0, call.exchange.admittedAtMs);
  const memory = memoryOf(deployment);
  const { last } = memory;
  if (
    last?.facts === facts &&
    last.maximum === maximum &&
    last.resolved === resolved &&
    last.bought === bought &&
    last.isTierOpen === isTierOpen &&
    last.notesTier === notesTier &&
    last.isTierShown === isTierShown
  ) {
    return last;
  }
  const { price, priceVersionId: id, condition = null, cost = null } = versionOf(deployment, resolved, bought);
  const priced = { price, priceVersionId: id, condition, cost, alternatives: versionsOf(deployment, card) };
  const made = { card, facts, isTierOpen, notesTier, isTierShown, requested: priced, maximum, resolved, bought };
  memory.last = made;
  return made;
}

/** What is remembered of a deployment's prices. */
interface PriceMemory {
  /** The last result. Each call asks for it several times, and most calls have the same one. */
  last: (ConditionalPrices & { readonly resolved: ConditionalPrice; readonly bought: ConditionalPrice | null }) | null;
  /** Tiers that the deployment's account has used for requests that leave the tier open. */
  accountTiers: readonly string[] | null;
  /** Tiers that any account may use for such requests. */
  openTiers: readonly string[] | null;
  /** The provider's price if it has no conditions, because prices are compared by identity. */
  flat: ConditionalPrice | null;
  /** Versions by sold and bought price, because a version's ID is a hash and each price is used for many calls. */
  readonly versions: Map<ConditionalPrice, Map<ConditionalPrice | null, Priced>>;
  /** The versions of all prices of the card. */
  allVersions: readonly Priced[] | null;
}

const memories = new WeakMap<Deployment, PriceMemory>();

function memoryOf(deployment: Deployment): PriceMemory {
  const known = memories.get(deployment);
  if (known !== undefined) return known;
  const made: PriceMemory = {
    last: null,
    accountTiers: null,
    openTiers: null,
    flat: null,
    versions: new Map(),
    allVersions: null,
  };
  memories.set(deployment, made);
  return made;
}

/** Reports whether a field that names a tier is sent to the provider, which otherwise serves its account's tier. */
function isSent(field: TierField, { operation, body }: Call, deployment: Deployment): boolean {
  if (deployment.additionalDropParams.includes(field) || body.dropped.has(field)) return false;
  const offered = deployment.offers[operation];
  const isUnknown = deployment.unknownParams === "drop" && offered?.fieldRules.has(field) === false;
  if (isUnknown && !deployment.allowedFields.has(field)) return false;
  if (offered?.unsupportedParams.has(field) !== true || deployment.allowedParams.includes(field)) return true;
  return body.request.allowed_openai_params?.includes(field) === true;
}

/** Providers whose responses name the service tier. Others may ignore the field and serve the base tier. */
const namesTier: ReadonlySet<string> = new Set(["openai", "azure", "anthropic", "gemini", "vertex_ai", "bedrock"]);
const BASE_TIER: readonly string[] = ["default"];

/** Returns the tiers that a provider may serve instead of the requested one without saying so. */
function unnamedTiersOf({ provider }: Deployment, [first, second]: readonly NamedTier[]): readonly string[] {
  // The provider serves one of two named tiers.
  if (second !== undefined) return [second.tier, ...BASE_TIER];
  return first === undefined || namesTier.has(provider.name) ? NO_OTHER_TIERS : BASE_TIER;
}

/**
 * Returns the price of what the provider served. Facts that the response doesn't state are those of the request. But a
 * complete response that names no tier isn't charged less than at the base tier, because some servers ignore the field.
 */
export function servedPrice(
  prices: ConditionalPrices,
  deployment: Deployment,
  usage: Usage,
  endedAtMs: number,
): Priced {
  const { served, source } = usage;
  if (prices.notesTier && source === "reported") noteAccountTier(deployment, prices.card, served?.serviceTier ?? null);
  return priceSoFar(prices, deployment, usage, endedAtMs);
}

/**
 * Returns the price of usage before the response is complete. A response that may name its tier later says nothing about
 * the tier of the account. `inputTokens` is the size of the prompt, if the usage doesn't contain it.
 */
export function priceSoFar(
  { card, facts, isTierOpen, isTierShown }: ConditionalPrices,
  deployment: Deployment,
  usage: Usage,
  endedAtMs: number,
  inputTokens: number = promptTokensOf(usage),
): Priced {
  const { served } = usage;
  const all: PriceFacts =
    served === undefined
      ? facts
      : {
          serviceTier: served.serviceTier ?? facts.serviceTier,
          searchContext: served.searchContext ?? facts.searchContext,
          region: served.region ?? facts.region,
        };
  const isCut = usage.source !== "reported" && isTierShown;
  if (isTierOpen && isCut && all.serviceTier === null) {
    return highestOpenPrice(deployment, card, all, usage, inputTokens, endedAtMs);
  }
  const sold = resolvePrice(card, all, inputTokens, endedAtMs);
  const isUnnamed = facts.serviceTier !== null && served?.serviceTier == null && usage.source === "reported";
  if (isUnnamed) {
    const atBase = { ...all, serviceTier: null };
    const base = resolvePrice(card, atBase, inputTokens, endedAtMs);
    if (priceCall(usage, base.price) > priceCall(usage, sold.price))
      return versionOf(deployment, base, boughtAt(deployment, atBase, inputTokens, endedAtMs));
  }
  return versionOf(deployment, sold, boughtAt(deployment, all, inputTokens, endedAtMs));
}

/** Returns the size of the prompt, which selects the rates. */
export function promptTokensOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Returns the price of a prompt of this size if the provider serves what the request asks for. */
export function requestedPrice(
  { card, facts }: ConditionalPrices,
  deployment: Deployment,
  inputTokens: number,
  atMs: number,
): Priced {
  const sold = resolvePrice(card, facts, inputTokens, atMs);
  return versionOf(deployment, sold, boughtAt(deployment, facts, inputTokens, atMs));
}

/**
 * Returns the price of a response that ended before it named its tier: the highest one of the tiers that the account may
 * have served, all of which the hold covers. At the base price, a caller could end each response early to pay less.
 */
function highestOpenPrice(
  deployment: Deployment,
  card: RateCard,
  facts: PriceFacts,
  usage: Usage,
  inputTokens: number,
  endedAtMs: number,
): Priced {
  const priced = [null, ...accountTiersOf(deployment, card)].map((serviceTier) => {
    const at = { ...facts, serviceTier };
    const sold = resolvePrice(card, at, inputTokens, endedAtMs);
    return { at, sold, cost: priceCall(usage, sold.price) };
  });
  const { at, sold } = priced.reduce((highest, one) => (one.cost > highest.cost ? one : highest));
  return versionOf(deployment, sold, boughtAt(deployment, at, inputTokens, endedAtMs));
}

/** Tiers that a provider serves only if the request asks for them. */
const neverOpen: ReadonlySet<string> = new Set(["batch", "fast"]);

/**
 * Returns the tiers that a provider may serve if a request leaves the tier open, in addition to the base tier. The
 * provider's account decides, and the gateway doesn't know its settings. Until the first response names the tier, any
 * tier is possible. Afterward, holds cover the tiers that were served.
 */
function accountTiersOf(deployment: Deployment, card: RateCard): readonly string[] {
  const memory = memoryOf(deployment);
  memory.openTiers ??= serviceTiersOf(card).filter((tier) => !neverOpen.has(tier));
  return memory.accountTiers ?? memory.openTiers;
}

function noteAccountTier(deployment: Deployment, card: RateCard, tier: string | null): void {
  const memory = memoryOf(deployment);
  const { accountTiers: known } = memory;
  // Only tiers of the card are remembered, so an upstream can't fill the memory with other names.
  const isPriced = tier !== null && serviceTiersOf(card).includes(tier);
  if (!isPriced) {
    memory.accountTiers ??= NO_OTHER_TIERS;
  } else if (known === null || !known.includes(tier)) {
    memory.accountTiers = [...(known ?? NO_OTHER_TIERS), tier];
  }
}

function versionOf(deployment: Deployment, sold: ConditionalPrice, bought: ConditionalPrice | null): Priced {
  const { price, condition } = sold;
  if (condition === null && (bought === null || bought.condition === null)) return deployment;
  const { versions } = memoryOf(deployment);
  const known = versions.get(sold) ?? new Map<ConditionalPrice | null, Priced>();
  versions.set(sold, known);
  const found = known.get(bought);
  if (found !== undefined) return found;
  const model = `${deployment.provider.name}/${deployment.upstreamModel}`;
  const made = { price, condition, ...soldVersion(model, sold, bought) };
  known.set(bought, made);
  return made;
}

/** Returns the provider's price of a call; null if calls are sold at the provider's prices. */
function boughtAt(
  deployment: Deployment,
  facts: PriceFacts,
  inputTokens: number,
  atMs: number,
): ConditionalPrice | null {
  if (deployment.providerPrices == null) return null;
  const { price, rateCard } = deployment.providerPrices;
  if (rateCard !== null) return resolvePrice(rateCard, facts, inputTokens, atMs);
  if (price === null) return null;
  const memory = memoryOf(deployment);
  memory.flat ??= unconditional(price);
  return memory.flat;
}

/** Returns the versions of all prices of a card. The list is always the same, so that its versions are written once. */
function versionsOf(deployment: Deployment, card: RateCard): readonly Priced[] {
  const memory = memoryOf(deployment);
  const { providerPrices } = deployment;
  memory.allVersions ??=
    providerPrices?.rateCard == null
      ? pricesOfCard(card).map((sold) => versionOf(deployment, sold, boughtAt(deployment, NO_PRICE_FACTS, 0, 0)))
      : pricePairs(card, providerPrices.rateCard).map(({ sold, bought }) => versionOf(deployment, sold, bought));
  return memory.allVersions;
}
