import type { AdminModel, ModelParams, PublicModel } from "@tollgate/contracts/management/model.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import type { CatalogueModel } from "@tollgate/db/catalogue/models.ts";
import { describeTokenPrices } from "./describe-prices.ts";
import type { ListedModel } from "./model-source.ts";

const typesByMode: Readonly<Record<string, PublicModel["type"]>> = {
  completion: "completion",
  embedding: "embedding",
  image_generation: "image",
  moderation: "moderation",
  audio_speech: "speech",
  audio_transcription: "transcription",
  rerank: "rerank",
};

/** A model of the catalogue as anybody may see it. */
export function describeCatalogueModel(model: CatalogueModel): PublicModel {
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
    }),
    status: model.status,
    deprecatedAt: model.deprecatedAt,
    createdAt: model.createdAt,
  };
}

/** The same for administrators. */
export function describeForAdministrator(model: CatalogueModel): AdminModel {
  const { inferenceModelId, params, createdAt, updatedAt } = model;
  return { ...describeCatalogueModel(model), inferenceModelId, params: params as ModelParams, createdAt, updatedAt };
}

/** A model of the settings files as anybody may see it. */
export function describeListedModel(model: ListedModel): PublicModel {
  const { price } = model;
  return {
    id: model.id,
    name: model.id,
    provider: model.provider,
    type: typesByMode[model.mode] ?? "chat",
    description: "",
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    inputModalities: [...model.inputModalities],
    outputModalities: [...model.outputModalities],
    capabilities: [...model.capabilities],
    pricing: describePricing({
      inputPerMillionTokens: price?.inputPerMillionTokens ?? null,
      outputPerMillionTokens: price?.outputPerMillionTokens ?? null,
      cachedInputPerMillionTokens: price?.cachedInputPerMillionTokens ?? null,
      perImage: price?.perImage ?? null,
      perAudioSecond: price?.perAudioSecond ?? null,
      perMillionCharacters: price?.perMillionCharacters ?? null,
    }),
    status: "active",
    deprecatedAt: null,
    createdAt: null,
  };
}

type Prices = Readonly<
  Record<Exclude<keyof PublicModel["pricing"], "unit" | "perRequest" | "usd">, PublicModel["pricing"]["perImage"]>
>;

function describePricing(prices: Prices): PublicModel["pricing"] {
  return { unit: "nano-USD", ...prices, perRequest: 0n, usd: usdOf(prices) };
}
