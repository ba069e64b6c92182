import { describeCapabilities } from "@tollgate/catalog/capabilities.ts";
import { nameCapabilities } from "@tollgate/catalog/capability-names.ts";
import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { Model } from "@tollgate/catalog/model.ts";
import { priceOfModel, priceRulesOf } from "@tollgate/catalog/price-of-model.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { AdminModel, CreateModelBody, type ModelParams } from "@tollgate/contracts/management/model.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { type CatalogModel, findCatalogModel, insertCatalogModel } from "@tollgate/db/catalog/models.ts";
import { findCatalogProvider, lockCatalogProvider } from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { writeStoredPriceRules } from "@tollgate/domain/pricing/stored-price-rules.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { describeForAdministrator } from "../../catalog/describe-model.ts";
import { describeUnitPrices } from "../../catalog/describe-prices.ts";
import { operation, write } from "../../operation.ts";
import type { Services } from "../../services.ts";
import { addProvider } from "../providers/create-provider.ts";
import { auditedModel } from "./audited-model.ts";
import { checkPriceRules } from "./check-price-rules.ts";
import { type ModelPrices, readPricing } from "./read-pricing.ts";
import { savePriceVersion } from "./save-price-version.ts";

export const createModel = operation({
  ...write,
  id: "createModel",
  summary: "Create a model; gateways serve it within a second",
  tag: "admin",
  path: "/api/admin/models",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  body: CreateModelBody,
  answers: { 201: { description: "The model", schema: Type.Object({ model: AdminModel }) } },
  handle: async (input, transaction, services) => {
    const actor = administratorOf(input);
    await storeListedProvider(transaction, input.body.provider, actor, services);
    const model = await offerModel(transaction, input.body, actor, services);
    return { status: 201, body: { model: describeForAdministrator(model) } };
  },
});

/**
 * Stores a provider that the public list shows only because settings files use it, so that models can refer to it. The
 * credentials in settings files belong to their own deployments: the stored provider has none until an administrator
 * sets one.
 */
async function storeListedProvider(
  transaction: TenantTransaction,
  slug: string,
  actor: AuditActor,
  services: Services,
): Promise<void> {
  if (!services.models.list().some(({ provider }) => provider === slug)) return;
  if ((await findCatalogProvider(transaction, slug)) !== null) return;
  await addProvider(transaction, { slug, kind: slug }, actor, services);
}

/** Returns the catalog's price rules of a model. The region of its deployment isn't known. */
function knownRules(known: Model | undefined): Pick<ModelParams, "priceRules"> {
  const rules = known === undefined ? [] : priceRulesOf(known).filter(({ when }) => when.region === undefined);
  if (rules.length === 0) return {};
  return { priceRules: [...writeStoredPriceRules(rules)] as NonNullable<ModelParams["priceRules"]> };
}

/** Adds a model to the catalog and writes an audit log entry. */
export async function offerModel(
  transaction: TenantTransaction,
  body: CreateModelBody,
  actor: AuditActor,
  services: Pick<Services, "models" | "now">,
): Promise<CatalogModel> {
  const provider = await lockCatalogProvider(transaction, body.provider);
  if (provider === null) throw unknownObject("provider");
  const id = body.id ?? slugOf(body.inferenceModelId);
  if (services.models.has(id)) throw modelExists(id, "in a settings file, which takes precedence");
  const known = loadCatalog().find([`${provider.kind}/${body.inferenceModelId}`, body.inferenceModelId]);
  const type = body.type ?? "chat";
  checkPriceRules(body.params);
  const prices = readPricing(body.pricing ?? {}, type, body.pricing === undefined ? knownPrices(known) : noPrices);
  const now = services.now();
  const outcome = await insertCatalogModel(transaction, {
    id,
    name: body.name ?? id.slice(0, 100),
    provider_id: provider.id,
    inference_model_id: body.inferenceModelId,
    type,
    description: body.description ?? "",
    context_window: body.contextWindow ?? known?.maxInputTokens ?? null,
    max_output_tokens: body.maxOutputTokens ?? known?.maxOutputTokens ?? null,
    capabilities: [...(body.capabilities ?? knownCapabilities(known, type))],
    input_modalities: body.inputModalities ?? ["text"],
    output_modalities: body.outputModalities ?? ["text"],
    // With the catalog's price, its conditions apply, too.
    params: { ...(body.pricing === undefined && knownRules(known)), ...body.params },
    price_version_id: await savePriceVersion(transaction, provider, body.inferenceModelId, prices.price),
    per_image: prices.perImage,
    per_audio_second: prices.perAudioSecond,
    per_million_characters: prices.perMillionCharacters,
    created_at: now,
    updated_at: now,
  });
  if (outcome === "exists") throw modelExists(id, "in the catalog");
  const model = (await findCatalogModel(transaction, id)) as CatalogModel;
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: "model.created",
    target: { type: "model", id },
    after: auditedModel(model),
  });
  return model;
}

function modelExists(id: string, where: string): Failure {
  return new Failure("MODEL_EXISTS", `Model '${id}' already exists ${where}. Choose another ID.`);
}

/** Derives a URL-safe slug from the last part of the provider's model name. */
function slugOf(inferenceModelId: string): string {
  const last = inferenceModelId.split("/").at(-1) ?? "";
  const slug = last
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[^a-z0-9]+|-+$/g, "");
  if (slug === "") throw invalidField("id", "is required because none can be derived from the inference model ID");
  return slug;
}

const noPrices: ModelPrices = { price: null, perImage: null, perAudioSecond: null, perMillionCharacters: null };

function knownPrices(known: Model | undefined): ModelPrices {
  const price = known === undefined ? null : priceOfModel(known);
  return price === null ? noPrices : { price, ...describeUnitPrices(price) };
}

function knownCapabilities(known: Model | undefined, type: string): readonly string[] {
  const streaming = type === "chat" || type === "completion" ? ["streaming"] : [];
  return [...streaming, ...(known === undefined ? [] : nameCapabilities(describeCapabilities(known)))];
}
