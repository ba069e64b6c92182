import { readCapabilities } from "@tollgate/catalog/capability-names.ts";
import type { ModelType } from "@tollgate/db/catalog/models.ts";
import { credentialPurpose } from "@tollgate/db/catalog/providers.ts";
import type { ServedModel } from "@tollgate/db/catalog/served-models.ts";
import { readOutboundTarget, type TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import { mapPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { readStoredPriceRules, type StoredPriceRule } from "@tollgate/domain/pricing/stored-price-rules.ts";
import { storedDeploymentId } from "@tollgate/domain/routing/stored-deployment-id.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import { unknownParamsChoices } from "@tollgate/runtime/settings/schema/gateway-section.ts";
import type {
  DeploymentInfo,
  DeploymentParams,
  DeploymentPrices,
  DeploymentSettings,
} from "@tollgate/runtime/settings/settings.ts";

const modesByType: Readonly<Record<ModelType, NonNullable<DeploymentInfo["mode"]>>> = {
  chat: "chat",
  completion: "completion",
  embedding: "embedding",
  image: "image_generation",
  moderation: "moderation",
  speech: "audio_speech",
  transcription: "audio_transcription",
  rerank: "rerank",
};

/**
 * Converts a model from the database to deployment settings and decrypts its credential. Throws if the credential can't
 * be decrypted, the URL isn't allowed, or a price rule is invalid, so that such a model isn't served.
 */
export function toStoredDeployment(
  model: ServedModel,
  secrets: SecretBox | null,
  targetRule: TargetRule,
): DeploymentSettings {
  return {
    modelName: model.id,
    params: toParams(model, openCredential(model, secrets), targetRule),
    info: toInfo(model),
    source: { file: "database", line: 0 },
  };
}

function openCredential({ sealedApiKey, providerId }: ServedModel, secrets: SecretBox | null): Secret | null {
  if (sealedApiKey === null) return null;
  if (secrets === null) throw new Error("its credential is encrypted and TOLLGATE_SECRET_KEY is not set");
  return new Secret(secrets.open(sealedApiKey, credentialPurpose(providerId)));
}

function toParams(model: ServedModel, apiKey: Secret | null, targetRule: TargetRule): DeploymentParams {
  const { providerKind, inferenceModelId, params } = model;
  const name = `${providerKind}/${inferenceModelId}`;
  const apiBase = model.baseUrl === null ? null : checkedAddress(model.baseUrl, targetRule);
  return {
    model: name,
    provider: providerKind,
    upstreamModel: inferenceModelId,
    apiBase,
    apiKey,
    apiVersion: null,
    providerOptions: {},
    rpm: numberOf(params.rpm),
    tpm: numberOf(params.tpm),
    weight: null,
    order: null,
    timeoutSeconds: numberOf(params.timeoutSeconds),
    streamTimeoutSeconds: numberOf(params.streamTimeoutSeconds),
    maxParallelRequests: null,
    tags: [],
    dropParams: typeof params.dropParams === "boolean" ? params.dropParams : null,
    allowedOpenaiParams: [],
    additionalDropParams: namesOf(params.additionalDropParams),
    allowedParams: namesOf(params.allowedParams),
    allowedHeaders: namesOf(params.allowedHeaders),
    unknownParams: unknownParamsChoices.find((choice) => choice === params.unknownParams) ?? null,
    cooldownSeconds: null,
    numRetries: null,
    region: null,
    onDisconnect: params.onDisconnect === "finish" || params.onDisconnect === "abort" ? params.onDisconnect : null,
    ownKeyPrices: null,
    prices: toPrices(model),
    pricesAreCosts: false,
    priceRules: Array.isArray(params.priceRules) ? readStoredPriceRules(params.priceRules as StoredPriceRule[]) : [],
    shown: { model: name, ...(apiBase !== null && { api_base: apiBase }) },
  };
}

function toInfo(model: ServedModel): DeploymentInfo {
  return {
    id: storedDeploymentId(model.id),
    baseModel: null,
    mode: modesByType[model.type],
    accessGroups: [],
    maxInputTokens: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    teamId: null,
    teamPublicModelName: null,
    healthCheckModel: null,
    healthCheckTimeoutSeconds: null,
    shown: { litellm_provider: model.provider, ...readCapabilities(model.capabilities) },
  };
}

const noTier = { aboveInputTokens: 0, input: null, output: null, cacheRead: null, cacheWrite: null };

function toPrices({ price }: ServedModel): DeploymentPrices {
  return { ...mapPrices((unit) => price?.[unit.price] ?? null), tier: price?.tier ?? noTier };
}

/** Checks the URL again, because rows can be written by other means, and the rule may have become stricter. */
function checkedAddress(baseUrl: string, targetRule: TargetRule): string {
  const target = readOutboundTarget(baseUrl, targetRule);
  if (target.kind === "refused") throw new Error(`its URL ${target.problem}`);
  return baseUrl;
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
