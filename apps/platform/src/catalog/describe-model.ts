import type { AdminModel, ModelParams, PublicModel } from "@tollgate/contracts/management/model.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import type { CatalogModel } from "@tollgate/db/catalog/models.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { describeRequestPrice, describeTokenPrices, describeUnitPrices } from "./describe-prices.ts";
import type { ListedModel } from "./model-source.ts";
import { modelTypeOf } from "./model-type-of.ts";

/** Describes a catalog model for the public API. */
export function describeCatalogModel(model: CatalogModel): PublicModel {
  return {
    id: model.id,
    name: model.name,
    provider: model.provider,
    type: model.type,
    description: model.description,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    inputModalities: [...model.inputModalities],
    outputModalities: [...model.outputModalities],
    capabilities: [...model.capabilities],
    pricing: describePricing({
      ...describeTokenPrices(model.price),
      perImage: model.perImage,
      perAudioSecond: model.perAudioSecond,
      perMillionCharacters: model.perMillionCharacters,
      perRequest: describeRequestPrice(model.price),
    }),
    status: model.status,
    deprecatedAt: model.deprecatedAt,
    createdAt: model.createdAt,
  };
}

/** Describes a catalog model for administrators. */
export function describeForAdministrator(model: CatalogModel): AdminModel {
  const { inferenceModelId, params, createdAt, updatedAt } = model;
  return { ...describeCatalogModel(model), inferenceModelId, params: params as ModelParams, createdAt, updatedAt };
}

/** Describes a model from the settings files for the public API. */
export function describeListedModel(model: ListedModel): PublicModel {
  return {
    id: model.id,
    name: model.id,
    provider: model.provider,
    type: modelTypeOf(model.mode),
    description: "",
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    inputModalities: [...model.inputModalities],
    outputModalities: [...model.outputModalities],
    capabilities: [...model.capabilities],
    pricing: describeListedPrices(model.price),
    status: "active",
    deprecatedAt: null,
    createdAt: null,
  };
}

/** Describes the prices of a model from the settings files; unknown prices are null. */
export function describeListedPrices(price: ListedModel["price"]): PublicModel["pricing"] {
  return describePricing({
    inputPerMillionTokens: price?.inputPerMillionTokens ?? null,
    outputPerMillionTokens: price?.outputPerMillionTokens ?? null,
    cachedInputPerMillionTokens: price?.cachedInputPerMillionTokens ?? null,
    perImage: price?.perImage ?? null,
    perAudioSecond: price?.perAudioSecond ?? null,
    perMillionCharacters: price?.perMillionCharacters ?? null,
    perRequest: price?.perRequest ?? 0n,
  });
}

/** Converts a gateway price to displayed units; returns null if there is no price. */
export function describePrice(price: Price | null): PublicModel["pricing"] | null {
  if (price === null) return null;
  const perRequest = describeRequestPrice(price);
  return describePricing({ ...describeTokenPrices(price), ...describeUnitPrices(price), perRequest });
}

type Prices = Omit<PublicModel["pricing"], "unit" | "usd">;

function describePricing(prices: Prices): PublicModel["pricing"] {
  return { unit: "nano-USD", ...prices, usd: usdOf(prices) };
}
