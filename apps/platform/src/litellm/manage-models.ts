import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { PricingInput, UpdateModelBody } from "@tollgate/contracts/management/model.ts";
import type { AuditActor } from "@tollgate/db/audit/write-audit.ts";
import { type CatalogModel, findCatalogModel, listCatalogModels, type ModelType } from "@tollgate/db/catalog/models.ts";
import { type CatalogProvider, findCatalogProvider } from "@tollgate/db/catalog/providers.ts";
import { storedDeploymentId } from "@tollgate/domain/routing/stored-deployment-id.ts";
import { offerModel } from "../admin/models/create-model.ts";
import { withdrawModel } from "../admin/models/delete-model.ts";
import { changeModel } from "../admin/models/update-model.ts";
import { addProvider } from "../admin/providers/create-provider.ts";
import { removeProvider } from "../admin/providers/delete-provider.ts";
import { changeProvider } from "../admin/providers/update-provider.ts";
import type { TargetServices } from "../outbound-target.ts";
import type { Services } from "../services.ts";
import type { ModelPatch, ModelPricePatch } from "./model-patch.ts";
import { absent, auditActor, type OwnerContext, requireAdministrator } from "./run-as-key-creator.ts";

/** Model in the database, without its credential. */
export interface ModelState {
  /** Deployment ID. */
  readonly id: string;
  readonly groupName: string;
  readonly model: string;
  readonly apiBase: string | null;
  readonly type: ModelType;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Dependencies for writing models. `secrets` is null if no secret key is configured. */
export type ModelServices = TargetServices &
  Pick<Services, "models" | "now"> & { readonly secrets: Services["secrets"] | null };

/** Creates a model. If a deleted model has the same name, restores that model with the new settings. */
export async function createModel(
  acting: OwnerContext,
  patch: ModelPatch,
  services: ModelServices,
): Promise<ModelState> {
  requireAdministrator(acting);
  const { groupName, provider: kind, upstreamModel } = patch;
  if (groupName === undefined || kind === undefined || upstreamModel === undefined) {
    throw invalid("litellm_params.model", "is required: <provider>/<upstream model>");
  }
  const { transaction } = acting;
  const { actor } = auditActor(acting);
  const former = await findCatalogModel(transaction, groupName);
  if (former !== null && former.status !== "disabled") {
    throw new Failure("conflict", `Model '${groupName}' already exists.`, {
      param: "model_name",
    });
  }
  if (services.models.has(groupName)) {
    throw new Failure("conflict", `Model '${groupName}' is defined in a settings file, which takes precedence.`, {
      param: "model_name",
    });
  }
  const provider = await chooseProvider(acting, { ...patch, kind, groupName }, actor, services);
  const fields = fieldsOf(patch, {});
  const model =
    former === null
      ? await offerModel(
          transaction,
          { ...fields, provider: provider.id, inferenceModelId: upstreamModel, id: groupName },
          actor,
          services,
        )
      : await changeModel(
          transaction,
          groupName,
          { ...fields, provider: provider.id, inferenceModelId: upstreamModel, status: "active" },
          actor,
          services,
        );
  return describe(model, provider);
}

/** Updates the given fields of a model. The provider kind can't change. */
export async function updateModel(
  acting: OwnerContext,
  id: string,
  patch: ModelPatch,
  services: ModelServices,
): Promise<ModelState> {
  requireAdministrator(acting);
  const { transaction } = acting;
  const { actor } = auditActor(acting);
  const before = await findById(acting, id);
  if (patch.groupName !== undefined && patch.groupName !== before.id) {
    throw invalid("model_name", "cannot be changed because requests and usage refer to it. Create another model");
  }
  if (patch.provider !== undefined && patch.provider !== before.providerKind) {
    throw invalid(
      "litellm_params.model",
      "cannot change to another provider kind. Delete the model and create it again",
    );
  }
  const provider = await moveProvider(acting, before, patch, actor, services);
  const body: UpdateModelBody = {
    ...fieldsOf(patch, before.params),
    provider: provider.id,
    ...(patch.upstreamModel !== undefined && { inferenceModelId: patch.upstreamModel }),
  };
  return describe(await changeModel(transaction, before.id, body, actor, services), provider);
}

/** Deletes a model, and its credential if no other model uses it. */
export async function deleteModel(acting: OwnerContext, id: string): Promise<void> {
  requireAdministrator(acting);
  const { transaction, now } = acting;
  const { actor } = auditActor(acting);
  const model = await findById(acting, id);
  await withdrawModel(transaction, model.id, actor, now);
  if (model.provider === ownSlug(model.id)) await removeProvider(transaction, model.providerId, actor, now);
}

async function findById({ transaction }: OwnerContext, id: string): Promise<CatalogModel> {
  const models = await listCatalogModels(transaction);
  const found = models.find((model) => model.status !== "disabled" && storedDeploymentId(model.id) === id);
  if (found === undefined) throw absent("model in the database");
  return found;
}

/**
 * Returns the provider that the request names, or creates a provider for this model alone with its base URL and
 * credential.
 */
async function chooseProvider(
  { transaction }: OwnerContext,
  patch: ModelPatch & { readonly kind: string; readonly groupName: string },
  actor: AuditActor,
  services: ModelServices,
): Promise<CatalogProvider> {
  const { kind, groupName, apiBase, apiKey, credentialName } = patch;
  if (credentialName !== undefined) return findShared(transaction, kind, patch);
  const needsKey = apiKey === undefined && (apiBase ?? null) === null && kind !== "sim";
  if (needsKey) {
    throw invalid("litellm_params.api_key", "or litellm_credential_name (the slug of a provider) is required");
  }
  const body = {
    slug: ownSlug(groupName),
    kind,
    name: groupName.slice(0, 100),
    ...(apiBase !== undefined && { baseUrl: apiBase }),
    ...(apiKey !== undefined && { apiKey }),
  };
  return addProvider(transaction, body, actor, withSecrets(services, apiKey !== undefined));
}

async function moveProvider(
  acting: OwnerContext,
  before: CatalogModel,
  patch: ModelPatch,
  actor: AuditActor,
  services: ModelServices,
): Promise<CatalogProvider> {
  const { transaction } = acting;
  const { apiBase, apiKey, credentialName } = patch;
  if (credentialName !== undefined) return findShared(transaction, before.providerKind, patch);
  const current = await findCatalogProvider(transaction, before.providerId);
  if (current === null) throw absent("model provider");
  if (apiBase === undefined && apiKey === undefined) return current;
  if (current.slug !== ownSlug(before.id)) {
    const kept = { ...patch, kind: before.providerKind, groupName: before.id, apiBase: apiBase ?? current.baseUrl };
    return chooseProvider(acting, kept, actor, services);
  }
  const body = { ...(apiBase !== undefined && { baseUrl: apiBase }), ...(apiKey !== undefined && { apiKey }) };
  return changeProvider(transaction, current.id, body, actor, withSecrets(services, apiKey !== undefined));
}

async function findShared(
  transaction: OwnerContext["transaction"],
  kind: string,
  { credentialName = "", apiBase, apiKey }: ModelPatch,
): Promise<CatalogProvider> {
  if (apiKey !== undefined || (apiBase ?? null) !== null) {
    throw invalid("litellm_params.litellm_credential_name", "has its own base URL and API key; omit those fields");
  }
  const provider = await findCatalogProvider(transaction, credentialName);
  if (provider === null) throw absent("provider");
  if (provider.kind === kind) return provider;
  throw invalid("litellm_params.litellm_credential_name", `is a provider of kind ${provider.kind}, not ${kind}`);
}

/** Rejects a credential if there is no secret key to encrypt it with. */
function withSecrets(services: ModelServices, isNeeded: boolean) {
  const { secrets } = services;
  if (secrets !== null) return { ...services, secrets };
  if (!isNeeded) return { ...services, secrets: noSecrets };
  throw new Failure(
    "service_unavailable",
    "TOLLGATE_SECRET_KEY is not set, so provider API keys cannot be encrypted.",
    {
      fix: "Create a key with `openssl rand -hex 32`, set it, and restart.",
    },
  );
}

const noSecrets = {
  seal: (): never => {
    throw new Error("encryption is not available");
  },
};

function fieldsOf(patch: ModelPatch, former: Readonly<Record<string, unknown>>) {
  const { type, maxInputTokens, maxOutputTokens, params, prices } = patch;
  const merged = Object.entries({ ...former, ...params }).filter(([, value]) => value !== null);
  return {
    ...(type !== undefined && { type }),
    ...(maxInputTokens !== undefined && { contextWindow: maxInputTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(params !== undefined && { params: Object.fromEntries(merged) }),
    ...(prices !== undefined && { pricing: pricingOf(prices) }),
  };
}

/** Converts pico-USD per unit to the platform's units: nano-USD per million tokens, per image, or per second. */
function pricingOf({ input, output, cacheRead, perImage, perSecond, perCharacter }: ModelPricePatch): PricingInput {
  const million = (pico: bigint | null) => (pico === null ? null : pico * 1_000n);
  const one = (name: string, pico: bigint | null) => {
    if (pico === null) return null;
    if (pico % 1_000n === 0n) return pico / 1_000n;
    throw invalid(`litellm_params.${name}`, "must be a multiple of 1 nano-USD");
  };
  return {
    ...(input !== undefined && { inputPerMillionTokens: million(input) }),
    ...(output !== undefined && { outputPerMillionTokens: million(output) }),
    ...(cacheRead !== undefined && { cachedInputPerMillionTokens: million(cacheRead) }),
    ...(perImage !== undefined && { perImage: one("output_cost_per_image", perImage) }),
    ...(perSecond !== undefined && { perAudioSecond: one("input_cost_per_second", perSecond) }),
    ...(perCharacter !== undefined && { perMillionCharacters: million(perCharacter) }),
  };
}

/** Returns the slug of a model's private provider. */
function ownSlug(groupName: string): string {
  return `model-${createHash("sha256").update(groupName).digest("hex").slice(0, 24)}`;
}

function describe(model: CatalogModel, { baseUrl }: Pick<CatalogProvider, "baseUrl">): ModelState {
  return {
    id: storedDeploymentId(model.id),
    groupName: model.id,
    model: `${model.providerKind}/${model.inferenceModelId}`,
    apiBase: baseUrl,
    type: model.type,
    createdAt: model.createdAt,
    updatedAt: model.updatedAt,
  };
}

function invalid(param: string, problem: string): Failure {
  return new Failure("invalid_request", `${param} ${problem}.`, { param });
}
