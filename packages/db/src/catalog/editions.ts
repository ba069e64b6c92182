import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** An edition of the model catalog that an operator applied, without its text. */
export interface AppliedEdition {
  readonly id: bigint;
  readonly edition: string;
  /** Date of the prices, as YYYY-MM-DD. */
  readonly pricesAsOf: string;
  readonly sha256: string;
  /** ID of the key that signed the edition; null if it is unsigned. */
  readonly signedBy: string | null;
  /** File or URL. */
  readonly origin: string;
  readonly isPinned: boolean;
  readonly appliedBy: string;
  readonly appliedAt: Date;
}

export interface NewEdition extends Omit<AppliedEdition, "id" | "appliedAt"> {
  readonly content: string;
}

/** An operator's decision about a model's disputed prices. */
export interface StoredConfirmation {
  readonly model: string;
  /** Digest of the disputed amounts. The decision applies to these amounts only. */
  readonly digest: string;
  readonly choice: "higher" | "first" | "second";
  readonly confirmedBy: string;
  readonly confirmedAt: Date;
}

type Reader = Database | TenantTransaction;

const columns = ["id", "edition", "sha256", "signed_by", "origin", "is_pinned", "applied_by", "applied_at"] as const;

/** Returns applied editions, the last one first. */
export async function listEditions(db: Reader, limit: number): Promise<readonly AppliedEdition[]> {
  const rows = await db
    .selectFrom("catalog_editions")
    .select(columns)
    .select(sql<string>`prices_as_of::text`.as("prices_as_of"))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toEdition);
}

/** Returns the edition that was applied last, or null. */
export async function findLastEdition(db: Reader): Promise<AppliedEdition | null> {
  return (await listEditions(db, 1))[0] ?? null;
}

/** Returns the text of an applied edition, by its number or by its name; null if it was never applied. */
export async function readEditionText(db: Reader, edition: bigint | string): Promise<string | null> {
  const row = await db
    .selectFrom("catalog_editions")
    .select("content")
    .where(typeof edition === "bigint" ? "id" : "edition", "=", edition)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.content ?? null;
}

/**
 * Locks the list of applied editions until this transaction ends, and returns the last one. Otherwise, two operators could
 * each apply an edition that was compared with the same earlier one.
 */
export async function lockLastEdition(transaction: TenantTransaction): Promise<AppliedEdition | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended('tollgate:catalog-editions', 0))`.execute(transaction);
  return findLastEdition(transaction);
}

/** Stores an edition, which is in effect from now on. Gateways are notified when the transaction commits. */
export async function addEdition(transaction: TenantTransaction, edition: NewEdition): Promise<void> {
  await transaction
    .insertInto("catalog_editions")
    .values({
      edition: edition.edition,
      prices_as_of: edition.pricesAsOf,
      sha256: edition.sha256,
      content: edition.content,
      signed_by: edition.signedBy,
      origin: edition.origin,
      is_pinned: edition.isPinned,
      applied_by: edition.appliedBy,
    })
    .execute();
}

/** Returns all decisions about disputed prices. */
export async function listConfirmations(db: Reader): Promise<readonly StoredConfirmation[]> {
  const rows = await db.selectFrom("price_confirmations").selectAll().orderBy("model").execute();
  return rows.map((row) => ({
    model: row.model,
    digest: row.digest,
    choice: row.choice,
    confirmedBy: row.confirmed_by,
    confirmedAt: row.confirmed_at,
  }));
}

/** Stores a decision. It replaces an earlier decision about the same model. */
export async function confirmPrice(
  transaction: TenantTransaction,
  { model, digest, choice, confirmedBy, confirmedAt }: StoredConfirmation,
): Promise<void> {
  const decision = { digest, choice, confirmed_by: confirmedBy, confirmed_at: confirmedAt };
  await transaction
    .insertInto("price_confirmations")
    .values({ model, ...decision })
    .onConflict((conflict) => conflict.column("model").doUpdateSet(decision))
    .execute();
}

function toEdition(row: {
  id: bigint;
  edition: string;
  prices_as_of: string;
  sha256: string;
  signed_by: string | null;
  origin: string;
  is_pinned: boolean;
  applied_by: string;
  applied_at: Date;
}): AppliedEdition {
  return {
    id: row.id,
    edition: row.edition,
    pricesAsOf: row.prices_as_of,
    sha256: row.sha256,
    signedBy: row.signed_by,
    origin: row.origin,
    isPinned: row.is_pinned,
    appliedBy: row.applied_by,
    appliedAt: row.applied_at,
  };
}
