// The table keeps its SQL name until the migrations are squashed.
// cspell:ignore catalogue
import { billingUnits, countedUnits, type OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import type { Insertable, Updateable } from "kysely";
import type { Database } from "../connect.ts";
import { isDuplicate } from "../database-errors.ts";
import { readPriceTier } from "../ledger/price-tier.ts";
import { readUnitPrices } from "../ledger/unit-columns.ts";
import type { CatalogueModelsTable as CatalogModelsTable } from "../tables.generated.ts";
import type { TenantTransaction } from "../tenancy.ts";

export type ModelType = CatalogModelsTable["type"];

/** A catalog model with its provider and its current price. */
export interface CatalogModel {
  readonly id: string;
  readonly name: string;
  readonly providerId: string;
  /** Provider slug. */
  readonly provider: string;
  readonly providerKind: string;
  readonly inferenceModelId: string;
  readonly type: ModelType;
  readonly description: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly capabilities: readonly string[];
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly priceVersionId: string | null;
  /** Pico-USD per unit; null if no price is set. */
  readonly price: Price | null;
  /** Nano-USD, as entered. Also included in `price`. */
  readonly perImage: bigint | null;
  readonly perAudioSecond: bigint | null;
  readonly perMillionCharacters: bigint | null;
  readonly status: "active" | "deprecated" | "disabled";
  readonly deprecatedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Lists every catalog model, newest first. Only the provider URLs are confidential. */
export async function listCatalogModels(db: Database | TenantTransaction): Promise<readonly CatalogModel[]> {
  const rows = await selectModels(db).orderBy("model.created_at", "desc").orderBy("model.id").execute();
  return rows.map(toModel);
}

export async function findCatalogModel(db: Database | TenantTransaction, id: string): Promise<CatalogModel | null> {
  const row = await selectModels(db).where("model.id", "=", id).executeTakeFirst();
  return row === undefined ? null : toModel(row);
}

/** Like `findCatalogModel`, but locks the model until this transaction ends. */
export async function lockCatalogModel(transaction: TenantTransaction, id: string): Promise<CatalogModel | null> {
  await transaction.selectFrom("catalogue_models").select("id").where("id", "=", id).forUpdate().execute();
  return findCatalogModel(transaction, id);
}

export async function insertCatalogModel(
  transaction: TenantTransaction,
  model: Insertable<CatalogModelsTable>,
): Promise<"inserted" | "exists"> {
  try {
    await transaction.insertInto("catalogue_models").values(model).execute();
    return "inserted";
  } catch (error) {
    if (isDuplicate(error, "catalogue_models_pkey")) return "exists";
    throw error;
  }
}

export async function updateCatalogModel(
  transaction: TenantTransaction,
  id: string,
  changes: Updateable<CatalogModelsTable>,
): Promise<void> {
  await transaction.updateTable("catalogue_models").set(changes).where("id", "=", id).execute();
}

function selectModels(db: Database | TenantTransaction) {
  return db
    .selectFrom("catalogue_models as model")
    .innerJoin("providers as provider", "provider.id", "model.provider_id")
    .leftJoin("price_versions as price", "price.id", "model.price_version_id")
    .selectAll("model")
    .select([
      "provider.slug as provider",
      "provider.kind as provider_kind",
      ...billingUnits.map(({ priceColumn }) => `price.${priceColumn}` as const),
      "price.tier_above",
      "price.tier_input_pico",
      "price.tier_output_pico",
      "price.tier_cache_read_pico",
      "price.tier_cache_write_pico",
      "price.tier_long_cache_write_pico",
    ]);
}

type ModelRow = Awaited<ReturnType<ReturnType<typeof selectModels>["execute"]>>[number];

function toModel(row: ModelRow): CatalogModel {
  return {
    id: row.id,
    name: row.name,
    providerId: row.provider_id,
    provider: row.provider,
    providerKind: row.provider_kind,
    inferenceModelId: row.inference_model_id,
    type: row.type,
    description: row.description,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    capabilities: row.capabilities,
    inputModalities: row.input_modalities,
    outputModalities: row.output_modalities,
    params: row.params,
    priceVersionId: row.price_version_id,
    price: toPrice(row),
    perImage: row.per_image,
    perAudioSecond: row.per_audio_second,
    perMillionCharacters: row.per_million_characters,
    status: row.status,
    deprecatedAt: row.deprecated_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toPrice(row: ModelRow): Price | null {
  const stored = readUnitPrices(row);
  const prices: OptionalPrices = {
    ...stored,
    // Per-unit prices can be older than the price versions that include them.
    perImage: stored.perImage ?? timesThousand(row.per_image),
    perSecond: stored.perSecond ?? timesThousand(row.per_audio_second),
    perCharacter: stored.perCharacter ?? thousandthOf(row.per_million_characters),
  };
  const isUnknown = prices.input === null || prices.output === null;
  if (isUnknown && countedUnits.every(({ price }) => prices[price] === null)) return null;
  return tokenPrice(prices.input ?? 0n, prices.output ?? 0n, { ...prices, tier: readPriceTier(row) });
}

const timesThousand = (nano: bigint | null): bigint | null => (nano === null ? null : nano * 1_000n);

/**
 * Converts nano-USD per million characters to pico-USD per character. Rounds up, because lower prices would become
 * zero.
 */
const thousandthOf = (nano: bigint | null): bigint | null => (nano === null ? null : (nano + 999n) / 1_000n);
