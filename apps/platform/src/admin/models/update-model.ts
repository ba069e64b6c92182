import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { AdminModel, UpdateModelBody } from "@tollgate/contracts/management/model.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  type CatalogModel,
  findCatalogModel,
  lockCatalogModel,
  updateCatalogModel,
} from "@tollgate/db/catalog/models.ts";
import { lockCatalogProvider } from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { describeForAdministrator } from "../../catalog/describe-model.ts";
import { operation, write } from "../../operation.ts";
import type { Services } from "../../services.ts";
import { auditedModel, changesBetween } from "./audited-model.ts";
import { checkPriceRules } from "./check-price-rules.ts";
import { readPricing } from "./read-pricing.ts";
import { savePriceVersion } from "./save-price-version.ts";

export const updateModel = operation({
  ...write,
  method: "PATCH",
  id: "updateModel",
  summary: "Update a model; a new price applies to requests that start afterwards",
  tag: "admin",
  path: "/api/admin/models/{id}",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  body: UpdateModelBody,
  answers: { 200: { description: "The model", schema: Type.Object({ model: AdminModel }) } },
  handle: async (input, transaction, services) => {
    const { params, body } = input;
    const model = await changeModel(transaction, params.id, body, administratorOf(input), services);
    return { status: 200, body: { model: describeForAdministrator(model) } };
  },
});

/** Returns the parameters without price rules if the token prices change, because the rules are for the former prices. */
function keptParams(
  { priceRules, ...others }: CatalogModel["params"],
  pricing: UpdateModelBody["pricing"],
): CatalogModel["params"] {
  const isChanged = pricing?.inputPerMillionTokens !== undefined || pricing?.outputPerMillionTokens !== undefined;
  return isChanged || priceRules === undefined ? others : { ...others, priceRules };
}

/** Updates the given fields of a model and writes an audit log entry. */
export async function changeModel(
  transaction: TenantTransaction,
  id: string,
  body: UpdateModelBody,
  actor: AuditActor,
  services: Pick<Services, "now">,
): Promise<CatalogModel> {
  const before = await lockCatalogModel(transaction, id);
  if (before === null) throw new Failure("MODEL_NOT_FOUND", "Model not found.");
  const provider = await lockCatalogProvider(transaction, body.provider ?? before.providerId);
  if (provider === null) throw unknownObject("provider");
  const type = body.type ?? before.type;
  const inferenceModelId = body.inferenceModelId ?? before.inferenceModelId;
  checkPriceRules(body.params);
  const prices = readPricing(body.pricing ?? {}, type, before);
  const now = services.now();
  const status = body.status ?? before.status;
  await updateCatalogModel(transaction, before.id, {
    name: body.name ?? before.name,
    provider_id: provider.id,
    inference_model_id: inferenceModelId,
    type,
    description: body.description ?? before.description,
    context_window: body.contextWindow === undefined ? before.contextWindow : body.contextWindow,
    max_output_tokens: body.maxOutputTokens === undefined ? before.maxOutputTokens : body.maxOutputTokens,
    capabilities: body.capabilities ?? [...before.capabilities],
    input_modalities: body.inputModalities ?? [...before.inputModalities],
    output_modalities: body.outputModalities ?? [...before.outputModalities],
    params: body.params ?? keptParams(before.params, body.pricing),
    price_version_id: await savePriceVersion(transaction, provider, inferenceModelId, prices.price),
    per_image: prices.perImage,
    per_audio_second: prices.perAudioSecond,
    per_million_characters: prices.perMillionCharacters,
    status,
    deprecated_at: status === "active" ? null : (before.deprecatedAt ?? (status === "deprecated" ? now : null)),
    updated_at: now,
  });
  const model = (await findCatalogModel(transaction, before.id)) as CatalogModel;
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: model.priceVersionId === before.priceVersionId ? "model.updated" : "model.price_changed",
    target: { type: "model", id: before.id },
    ...changesBetween(auditedModel(before), auditedModel(model)),
  });
  return model;
}
