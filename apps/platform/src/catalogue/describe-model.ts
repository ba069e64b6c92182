import type { AdminModel, ModelParams, PublicModel } from "@tollgate/contracts/management/model.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import type { CatalogueModel } from "@tollgate/db/catalogue/models.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { ListedModel } from "./model-source.ts";

/** Tokens of a million times pico-USD, in nano-USD: a price of the interface is a thousand times one of the gateway. */
export const NANO_PER_MILLION_PER_PICO = 1_000n;

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
  const { price } = model;
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
      inputPerMillionTokens: perMillion(price?.input ?? null),
      outputPerMillionTokens: perMillion(price?.output ?? null),
      cachedInputPerMillionTokens: perMillion(price?.cacheRead ?? null),
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
      perImage: null,
      perAudioSecond: null,
      perMillionCharacters: null,
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

function perMillion(pico: bigint | null): NanoUsd | null {
  return pico === null ? null : pico * NANO_PER_MILLION_PER_PICO;
}
