import { isFixed, type PriceTerms } from "@tollgate/domain/pricing/price-terms.ts";
import { readFixedPrice, type StoredFixedPrice, writeFixedPrice } from "@tollgate/domain/pricing/stored-price-rules.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** An organization's price for a model group. */
export interface PriceListEntry {
  /** `*` for all groups without their own entry. */
  readonly modelGroup: string;
  readonly terms: PriceTerms;
}

/** Returns an organization's price list, sorted by model group. */
export async function readPriceList(
  db: Database | TenantTransaction,
  organizationId: string,
): Promise<readonly PriceListEntry[]> {
  const rows = await db
    .selectFrom("price_list_entries")
    .select(["model_group", "share_millionths", "fixed_nano", "fixed"])
    .where("organization_id", "=", organizationId)
    .orderBy("model_group")
    .execute();
  return rows.map(toEntry);
}

/** The price list of one organization. */
export interface OrganizationPrices {
  readonly organizationId: string;
  readonly entries: readonly PriceListEntry[];
}

/** Returns the price lists of all organizations that have one. */
export async function listPriceLists(transaction: TenantTransaction): Promise<readonly OrganizationPrices[]> {
  const rows = await transaction
    .selectFrom("price_list_entries")
    .select(["organization_id", "model_group", "share_millionths", "fixed_nano", "fixed"])
    .orderBy("organization_id")
    .orderBy("model_group")
    .execute();
  const lists = Map.groupBy(rows, (row) => row.organization_id);
  return [...lists].map(([organizationId, entries]) => ({ organizationId, entries: entries.map(toEntry) }));
}

interface EntryRow {
  readonly model_group: string;
  readonly share_millionths: bigint;
  readonly fixed_nano: bigint;
  readonly fixed: unknown;
}

function toEntry({ model_group: modelGroup, share_millionths, fixed_nano, fixed }: EntryRow): PriceListEntry {
  return { modelGroup, terms: readTerms(share_millionths, fixed_nano, fixed as StoredFixedPrice | null) };
}

/** Returns the terms of a stored entry. */
export function readTerms(shareMillionths: bigint, fixedNanoUsd: bigint, fixed: StoredFixedPrice | null): PriceTerms {
  return fixed === null ? { shareMillionths, fixedNanoUsd } : readFixedPrice(fixed);
}

/**
 * Locks an organization's price list until this transaction ends. Otherwise, two replacements that don't see each other
 * would leave a list with the entries of both.
 */
export async function lockPriceList(transaction: TenantTransaction, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tollgate:price-list:${organizationId}`}, 0))`.execute(
    transaction,
  );
}

/** Replaces an organization's price list, which must be locked. Gateways discard its keys from their caches when the transaction commits. */
export async function replacePriceList(
  transaction: TenantTransaction,
  organizationId: string,
  entries: readonly PriceListEntry[],
  now: Date,
): Promise<void> {
  await transaction.deleteFrom("price_list_entries").where("organization_id", "=", organizationId).execute();
  if (entries.length > 0) {
    const values = entries.map(({ modelGroup, terms }) => ({
      organization_id: organizationId,
      model_group: modelGroup,
      share_millionths: isFixed(terms) ? 0n : terms.shareMillionths,
      fixed_nano: isFixed(terms) ? 0n : terms.fixedNanoUsd,
      fixed: isFixed(terms) ? { ...writeFixedPrice(terms) } : null,
      updated_at: now,
    }));
    await transaction.insertInto("price_list_entries").values(values).execute();
  }
  const notice = JSON.stringify({ kind: "organization", id: organizationId });
  await sql`select pg_notify('tollgate_notice', ${notice})`.execute(transaction);
}
