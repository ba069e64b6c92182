import { nameCapabilities } from "@tollgate/catalog/capability-names.ts";
import { countedUnits } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import type { GatewayListing, GatewayModelFacts, GatewayModels } from "../deployments/gateway-models.ts";
import { describeRequestPrice, describeTokenPrices, describeUnitPrices } from "./describe-prices.ts";
import type { ListedModel } from "./model-source.ts";

/** Combines the data of a group's deployments. Returns null if the group has no deployments. */
export function describePublicModel(
  { id, groupName, captures, deployments }: GatewayListing,
  models: GatewayModels,
): ListedModel | null {
  const [first] = deployments;
  if (first === undefined) return null;
  const facts = deployments.map((deployment) =>
    captures === null ? deployment.facts : models.factsUnderPattern(deployment, captures, groupName),
  );
  const mode = facts.find((fact) => fact.mode !== null)?.mode ?? "chat";
  const canSee = facts.some((fact) => fact.supports_vision);
  const usualInput = mode === "audio_transcription" ? "audio" : "text";
  const usualOutput = mode === "image_generation" ? "image" : mode === "audio_speech" ? "audio" : "text";
  return {
    id,
    mode,
    provider: models.providerNameOf(first),
    contextWindow: largest(facts.map(({ maxInputTokens }) => maxInputTokens)),
    maxOutputTokens: largest(facts.map(({ maxOutputTokens }) => maxOutputTokens)),
    capabilities: [
      ...(mode === "chat" || mode === "completion" ? ["streaming"] : []),
      ...new Set(facts.flatMap((fact) => nameCapabilities(fact))),
    ],
    inputModalities: unite(usualInput, [
      ...(canSee ? ["image"] : []),
      ...facts.flatMap(({ capabilities }) => capabilities.inputs),
    ]),
    outputModalities: unite(
      usualOutput,
      facts.flatMap(({ capabilities }) => capabilities.outputs),
    ),
    price: maxPrice(facts),
  };
}

function unite(first: string, others: readonly string[]): readonly string[] {
  return [...new Set([first, ...others])];
}

/** Returns the highest price in the group, so that no call costs more than the listed price. */
function maxPrice(facts: readonly GatewayModelFacts[]): ListedModel["price"] {
  const prices = facts.flatMap(({ price }) => (price === null ? [] : [price]));
  if (prices.length === 0) return null;
  const highest = (read: (price: Price) => bigint | null): bigint | null =>
    prices.map(read).reduce((one, other) => (one === null || (other !== null && other > one) ? other : one), null);
  const hasCached = prices.some(({ cacheRead }) => cacheRead !== null);
  const top = tokenPrice(highest(({ input }) => input) ?? 0n, highest(({ output }) => output) ?? 0n, {
    cacheRead: hasCached ? highest(({ cacheRead, input }) => cacheRead ?? input) : null,
    ...Object.fromEntries(countedUnits.map((unit) => [unit.price, highest((price) => price[unit.price])])),
  });
  return { ...describeTokenPrices(top), ...describeUnitPrices(top), perRequest: describeRequestPrice(top) };
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
