import type { PriceFacts } from "@tollgate/domain/pricing/price-facts.ts";
import type { RequestedTools } from "../call/requested-tools.ts";

/** Service tiers that cost the base price. */
const baseTiers: ReadonlySet<unknown> = new Set(["auto", "default", "standard", "standard_only"]);
/** Size of a search's context if the request names none. */
const DEFAULT_CONTEXT = "medium";

/** The facts of a request that asks for nothing special. They are one object, so that prices can be compared by it. */
const PLAIN: PriceFacts = Object.freeze({ serviceTier: null, searchContext: DEFAULT_CONTEXT, region: null });

interface PricedFields {
  readonly service_tier?: unknown;
  /** Anthropic's name for the tier `fast`. */
  readonly speed?: unknown;
  /** Anthropic's name for the region. */
  readonly inference_geo?: unknown;
}

/** A service tier that a request names, with the field that names it. */
export interface NamedTier {
  readonly field: TierField;
  readonly tier: string;
}

export type TierField = "speed" | "service_tier";

const NO_TIERS: readonly NamedTier[] = [];

/** Returns what a request asks for, as far as a price can depend on it. `tier` is the one that the provider gets. */
export function requestedFacts(request: object, tools: RequestedTools | undefined, tier: string | null): PriceFacts {
  const { inference_geo: geo } = request as PricedFields;
  const searchContext = tools === undefined ? DEFAULT_CONTEXT : searchContextOf(tools);
  if (tier === null && geo == null && searchContext === DEFAULT_CONTEXT) return PLAIN;
  return { serviceTier: tier, searchContext, region: typeof geo === "string" ? geo : null };
}

/** OpenAI's earlier search tool has its own price, in place of one for the size of the context. */
function searchContextOf({ types, searchContext }: RequestedTools): string {
  return types.includes("web_search_preview") ? "preview" : (searchContext ?? DEFAULT_CONTEXT);
}

/** Returns the service tiers that a request names, apart from the base tier. Each field names its own. */
export function namedTiers(request: object): readonly NamedTier[] {
  const { service_tier: tier, speed } = request as PricedFields;
  const isTier = typeof tier === "string" && !baseTiers.has(tier);
  if (speed !== "fast") return isTier ? [{ field: "service_tier", tier }] : NO_TIERS;
  const fast: NamedTier = { field: "speed", tier: speed };
  return isTier ? [fast, { field: "service_tier", tier }] : [fast];
}

/** Returns the first service tier that a request names; null for the base tier. */
export function requestedTier(request: object): string | null {
  return namedTiers(request)[0]?.tier ?? null;
}

/** Reports whether a request leaves the service tier to the settings of the provider's account. */
export function leavesTierOpen(request: object): boolean {
  return hasOpenTier(request) && (request as PricedFields).speed !== "fast";
}

/** Reports whether the field `service_tier` leaves the tier open. */
export function hasOpenTier(request: object): boolean {
  const { service_tier: tier } = request as PricedFields;
  return tier == null || tier === "auto";
}

/** Returns the facts that a response states. The base tier is also a fact, because it overrides the tier that the request names. */
export function servedFacts(serviceTier: unknown, region: unknown = null, searchContext: unknown = null): PriceFacts {
  return {
    serviceTier: typeof serviceTier === "string" ? serviceTier : null,
    searchContext: typeof searchContext === "string" ? searchContext : null,
    region: typeof region === "string" ? region : null,
  };
}
