import { nameCapabilities } from "@tollgate/catalog/capability-names.ts";
import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { buildModelList, type StoredDeployments } from "@tollgate/gateway/model-list/build-model-list.ts";
import { providerNameOf } from "@tollgate/gateway/model-list/describe-model.ts";
import { factsUnderPattern } from "@tollgate/gateway/model-list/facts-under-pattern.ts";
import {
  type ListedModel as GroupListing,
  listVisibleModels,
} from "@tollgate/gateway/model-list/list-visible-models.ts";
import type { ModelFacts } from "@tollgate/gateway/model-list/model-facts.ts";
import { ModelLookup } from "@tollgate/gateway/model-list/model-lookup.ts";
import { Transports } from "@tollgate/gateway/model-list/transports.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import {
  describeRequestPrice,
  describeTokenPrices,
  describeUnitPrices,
} from "@tollgate/platform/catalog/describe-prices.ts";
import type { ListedModel } from "@tollgate/platform/catalog/model-source.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";

/** Lists the models that a caller without a team can call, including wildcards and excluding hidden names. */
export function listPublicModels(settings: Settings, stored: StoredDeployments | null = null): readonly GroupListing[] {
  const catalog = loadCatalog();
  const models = new ModelLookup(
    buildModelList(settings, providers, catalog, new Transports(neverSends), new RouteStates(), stored),
    {
      allowModelIdCalls: false,
      hideInaccessibleModels: true,
      inferProvider: (bareName) => catalog.inferProvider(bareName) ?? null,
      catalog,
    },
  );
  const view = {
    models,
    lists: { key: [], team: [], user: [], organization: [] },
    scope: { keyAliases: {}, teamAliases: {}, teamId: null, allowModelIdCalls: false },
    seesEveryTeam: false,
  };
  return listVisibleModels(view, catalog).filter(({ kind }) => kind !== "hidden_alias");
}

/** Combines the data of a group's deployments. Returns null if the group has no deployments. */
export function describePublicModel({ id, groupName, captures, deployments }: GroupListing): ListedModel | null {
  const [first] = deployments;
  if (first === undefined) return null;
  const catalog = loadCatalog();
  const facts = deployments.map((deployment) =>
    captures === null ? deployment.facts : factsUnderPattern(deployment, captures, groupName, catalog),
  );
  const mode = facts.find((fact) => fact.mode !== null)?.mode ?? "chat";
  const canSee = facts.some((fact) => fact.supports_vision);
  return {
    id,
    mode,
    provider: providerNameOf(first),
    contextWindow: largest(facts.map(({ maxInputTokens }) => maxInputTokens)),
    maxOutputTokens: largest(facts.map(({ maxOutputTokens }) => maxOutputTokens)),
    capabilities: [
      ...(mode === "chat" || mode === "completion" ? ["streaming"] : []),
      ...new Set(facts.flatMap((fact) => nameCapabilities(fact))),
    ],
    inputModalities: mode === "audio_transcription" ? ["audio"] : ["text", ...(canSee ? ["image"] : [])],
    outputModalities: [mode === "image_generation" ? "image" : mode === "audio_speech" ? "audio" : "text"],
    price: maxPrice(facts),
  };
}

/** Returns the highest price in the group, so that no call costs more than the listed price. */
function maxPrice(facts: readonly ModelFacts[]): ListedModel["price"] {
  const prices = facts.flatMap(({ price }) => (price === null ? [] : [price]));
  if (prices.length === 0) return null;
  const highest = (read: (price: Price) => bigint | null): bigint | null =>
    prices.map(read).reduce((one, other) => (one === null || (other !== null && other > one) ? other : one), null);
  const hasCached = prices.some(({ cacheRead }) => cacheRead !== null);
  const top = tokenPrice(highest(({ input }) => input) ?? 0n, highest(({ output }) => output) ?? 0n, {
    cacheRead: hasCached ? highest(({ cacheRead, input }) => cacheRead ?? input) : null,
    perImage: highest(({ perImage }) => perImage),
    perSecond: highest(({ perSecond }) => perSecond),
    perCharacter: highest(({ perCharacter }) => perCharacter),
    perSearch: highest(({ perSearch }) => perSearch),
  });
  return { ...describeTokenPrices(top), ...describeUnitPrices(top), perRequest: describeRequestPrice(top) };
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Replaces the connection to the provider, because listing models makes no calls. */
const neverSends = () => ({
  send: (): never => {
    throw new Error("listing models does not send requests");
  },
  close: async () => {},
});
