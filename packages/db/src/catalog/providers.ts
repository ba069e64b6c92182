// The table keeps its SQL name until the migrations are squashed.
// cspell:ignore catalogue
import type { Insertable, Updateable } from "kysely";
import type { Database } from "../connect.ts";
import { isDuplicate } from "../database-errors.ts";
import type { ProvidersTable } from "../tables.generated.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** A catalog provider, without its credential. */
export interface CatalogProvider {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string | null;
  readonly website: string | null;
  readonly status: "available" | "degraded" | "unavailable";
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Lists every provider that was not deleted, newest first. */
export async function listCatalogProviders(db: Database | TenantTransaction): Promise<readonly CatalogProvider[]> {
  return selectProviders(db).orderBy("created_at", "desc").orderBy("id").execute();
}

/** Finds a provider by ID or slug. */
export async function findCatalogProvider(
  db: Database | TenantTransaction,
  idOrSlug: string,
): Promise<CatalogProvider | null> {
  const found = await selectProviders(db)
    .where((column) => column.or([column("id", "=", idOrSlug), column("slug", "=", idOrSlug)]))
    .executeTakeFirst();
  return found ?? null;
}

/** Like `findCatalogProvider`, but locks the provider until this transaction ends. */
export async function lockCatalogProvider(
  transaction: TenantTransaction,
  idOrSlug: string,
): Promise<CatalogProvider | null> {
  const found = await selectProviders(transaction)
    .where((column) => column.or([column("id", "=", idOrSlug), column("slug", "=", idOrSlug)]))
    .forUpdate()
    .executeTakeFirst();
  return found ?? null;
}

export async function insertCatalogProvider(
  transaction: TenantTransaction,
  provider: Insertable<ProvidersTable>,
): Promise<"inserted" | "exists"> {
  return unlessTaken(() => transaction.insertInto("providers").values(provider).execute(), "inserted");
}

export async function updateCatalogProvider(
  transaction: TenantTransaction,
  id: string,
  changes: Updateable<ProvidersTable>,
): Promise<"updated" | "exists"> {
  return unlessTaken(() => transaction.updateTable("providers").set(changes).where("id", "=", id).execute(), "updated");
}

/** Stores an encrypted credential, or deletes it if null. */
export async function setProviderCredential(
  transaction: TenantTransaction,
  providerId: string,
  sealedApiKey: string | null,
  now: Date,
): Promise<void> {
  if (sealedApiKey === null) {
    await transaction.deleteFrom("provider_credentials").where("provider_id", "=", providerId).execute();
    return;
  }
  await transaction
    .insertInto("provider_credentials")
    .values({ provider_id: providerId, api_key: sealedApiKey, updated_at: now })
    .onConflict((conflict) => conflict.column("provider_id").doUpdateSet({ api_key: sealedApiKey, updated_at: now }))
    .execute();
}

/** Returns the IDs of providers that have a credential. */
export async function listProvidersWithCredential(transaction: TenantTransaction): Promise<ReadonlySet<string>> {
  const rows = await transaction.selectFrom("provider_credentials").select("provider_id").execute();
  return new Set(rows.map(({ provider_id }) => provider_id));
}

/** Counts each provider's models, excluding disabled models. */
export async function countModelsByProvider(db: Database | TenantTransaction): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("catalogue_models")
    .select(({ fn }) => ["provider_id", fn.countAll<bigint>().as("count")])
    .where("status", "!=", "disabled")
    .groupBy("provider_id")
    .execute();
  return new Map(rows.map(({ provider_id, count }) => [provider_id, Number(count)]));
}

/** Encryption purpose of a provider's credential, so that it can't be decrypted for another provider. */
export const credentialPurpose = (providerId: string): string => `provider:${providerId}`;

function selectProviders(db: Database | TenantTransaction) {
  return db
    .selectFrom("providers")
    .select([
      "id",
      "slug",
      "name",
      "kind",
      "base_url as baseUrl",
      "website",
      "status",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ])
    .where("deleted_at", "is", null);
}

async function unlessTaken<Done extends string>(work: () => Promise<unknown>, done: Done): Promise<Done | "exists"> {
  try {
    await work();
    return done;
  } catch (error) {
    if (isDuplicate(error, "providers_slug")) return "exists";
    throw error;
  }
}
