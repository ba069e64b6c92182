import { sql } from "kysely";
import type { Database } from "../connect.ts";

export interface StoredSigningKey {
  readonly kid: string;
  readonly publicKey: Record<string, unknown>;
  /** Encrypted private key. */
  readonly privateKey: string;
}

/**
 * Lists every key that can still verify tokens, with the signing key first. `isRetired` marks keys that can no longer
 * sign.
 */
export async function listSigningKeys(
  db: Database,
): Promise<readonly (StoredSigningKey & { readonly isRetired: boolean })[]> {
  return db
    .selectFrom("signing_keys")
    .select(["kid", "public_key as publicKey", "private_key as privateKey"])
    .select(sql<boolean>`retired_at is not null`.as("isRetired"))
    .where(sql<boolean>`coalesce(forgotten_at > now(), true)`)
    .orderBy(sql`retired_at is not null`)
    .orderBy("created_at", "desc")
    .orderBy("kid")
    .execute();
}

/**
 * Adds a key. With `onlyFirst`, adds it only if no key exists, so that processes that start concurrently agree on one
 * key.
 */
export async function insertSigningKey(db: Database, key: StoredSigningKey, onlyFirst: boolean): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('tollgate:signing-keys', 0))`.execute(transaction);
    if (onlyFirst) {
      const live = await transaction.selectFrom("signing_keys").select("kid").where("retired_at", "is", null).execute();
      if (live.length > 0) return;
    }
    await transaction
      .insertInto("signing_keys")
      .values({ kid: key.kid, public_key: key.publicKey, private_key: key.privateKey })
      .execute();
  });
}

/**
 * Replaces the current signing keys. The old keys can verify tokens until `forgetAt`, so that tokens signed with them
 * can still be refreshed.
 */
export async function replaceSigningKey(
  db: Database,
  key: StoredSigningKey,
  { now, forgetAt }: { readonly now: Date; readonly forgetAt: Date },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('tollgate:signing-keys', 0))`.execute(transaction);
    // A key with an earlier end date keeps that date.
    await sql`update signing_keys set retired_at = coalesce(retired_at, ${now}),
      forgotten_at = least(forgotten_at, ${forgetAt}::timestamptz)`.execute(transaction);
    await transaction
      .insertInto("signing_keys")
      .values({ kid: key.kid, public_key: key.publicKey, private_key: key.privateKey, created_at: now })
      .execute();
  });
}
