import type { CountedUnit } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Call } from "../call/call.ts";
import type { Deployment, Priced } from "../call/deployment.ts";
import { searchTraitsOf } from "../operations/search-traits.ts";
import { priceOfTool } from "../providers/provider-tools.ts";

/** Returns the maximum fees of a call in pico-USD: the fee per request, and the tools that the provider runs. */
export function maxFees(call: Pick<Call, "operation" | "parts">, deployment: Deployment, price: Price): bigint {
  const { tools } = call.parts;
  const request = price.perRequest ?? 0n;
  if (tools === undefined && price.perWebSearch === null) return request;
  const { always, isBilledOnce } = searchTraitsOf(deployment);
  const search = price.perWebSearch ?? 0n;
  const searched = request + BigInt(always) * search;
  if (tools === undefined) return searched;
  let highest = 0n;
  let onlySearches = true;
  for (const type of tools.types) {
    const known = priceOfTool(deployment.provider.name, type, price);
    if (known.kind !== "priced") continue;
    const each = known.pico * BigInt(known.unitsPerCall);
    if (each > highest) highest = each;
    onlySearches &&= known.unit === null || known.unit === "webSearches";
  }
  const isCountedAsOne = isUncounted(call, deployment);
  if (onlySearches && (isBilledOnce || isCountedAsOne)) return request + search;
  return searched + (isCountedAsOne ? search : 0n) + BigInt(tools.maxCalls) * highest;
}

/**
 * Returns the tool calls that the hold of a call covers, all of the most expensive tool. They are charged if the provider
 * could not report them.
 */
export function heldTools(call: Pick<Call, "operation" | "parts">, deployment: Deployment): Partial<Usage> {
  const { tools } = call.parts;
  if (tools === undefined) return {};
  let [unit, highest, perCall]: [CountedUnit["name"] | null, bigint, number] = [null, 0n, 1];
  for (const type of tools.types) {
    const known = priceOfTool(deployment.provider.name, type, deployment.price);
    if (known.kind !== "priced") continue;
    const each = known.pico * BigInt(known.unitsPerCall);
    if (each > highest) [unit, highest, perCall] = [known.unit, each, known.unitsPerCall];
  }
  if (unit === null) return {};
  const isOne = unit === "webSearches" && (searchTraitsOf(deployment).isBilledOnce || isUncounted(call, deployment));
  return { [unit]: isOne ? 1 : tools.maxCalls * perCall };
}

/**
 * Adds the fees of each request to the usage that the provider reported. A call without usage has no fees. Fees that
 * only the provider charges are counted too, because they are part of its cost.
 */
export function withFees(
  usage: Usage,
  call: Pick<Call, "operation" | "parts">,
  deployment: Deployment,
  { price, cost }: Pick<Priced, "price" | "cost">,
): Usage {
  if (price === null) return usage;
  const perRequest = price.perRequest ?? cost?.price.perRequest ?? null;
  const perWebSearch = price.perWebSearch ?? cost?.price.perWebSearch ?? null;
  if ((perRequest === null && perWebSearch === null) || !hasUsage(usage)) return usage;
  const webSearches = perWebSearch === null ? usage.webSearches : billedSearches(usage, call, deployment);
  if (perRequest === null && webSearches === usage.webSearches) return usage;
  return { ...usage, requestFees: perRequest === null ? 0 : 1, webSearches };
}

/** Returns the number of searches that the provider bills, which it may not report, or report differently. */
function billedSearches(
  { webSearches }: Usage,
  call: Pick<Call, "operation" | "parts">,
  deployment: Deployment,
): number {
  const { always, isBilledOnce } = searchTraitsOf(deployment);
  if (webSearches > 0) return isBilledOnce ? 1 : webSearches;
  return always > 0 || isUncounted(call, deployment) ? 1 : 0;
}

function hasUsage(usage: Usage): boolean {
  const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
  return tokens > 0 || usage.characters + usage.audioMs + usage.images + usage.searches > 0;
}

/** Providers whose chat responses count the searches. Others have OpenAI's format, which doesn't. */
const countsSearches: ReadonlySet<string> = new Set([
  "anthropic",
  "bedrock",
  "gemini",
  "openrouter",
  "perplexity",
  "vertex_ai",
  "xai",
]);

/** Reports whether the request asks for a search of a provider whose chat responses don't count searches. */
function isUncounted({ operation, parts }: Pick<Call, "operation" | "parts">, { provider }: Deployment): boolean {
  if (operation !== "chat.completions" || countsSearches.has(provider.name)) return false;
  return parts.tools?.types.includes("web_search") === true;
}
