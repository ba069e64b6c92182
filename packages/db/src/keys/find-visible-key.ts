import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type KeyReader, type KeyRow, type KeyView, keyColumns, visibleKeys, withMoney } from "./key-view.ts";

/** Identifies a key by its ID, or by the digest of its secret. */
export type KeyName = { readonly id: string } | { readonly hash: Buffer };

/**
 * Returns the key if the reader can see it. Checks existence and visibility in one query, so that other organizations'
 * keys can't be distinguished from unknown keys.
 */
export async function findVisibleKey(
  transaction: TenantTransaction,
  reader: KeyReader,
  name: KeyName,
): Promise<KeyView | null> {
  const row = await readRow(transaction, reader, name, false);
  if (row === null) return null;
  const [key] = await withMoney(transaction, [row], reader);
  return key ?? null;
}

/** Like `findVisibleKey`, but locks the key until this transaction ends. */
export function lockVisibleKey(
  transaction: TenantTransaction,
  reader: KeyReader,
  name: KeyName,
): Promise<KeyRow | null> {
  return readRow(transaction, reader, name, true);
}

async function readRow(
  transaction: TenantTransaction,
  reader: KeyReader,
  name: KeyName,
  isLocked: boolean,
): Promise<KeyRow | null> {
  const isNamed =
    "id" in name
      ? sql`key.id = ${name.id}`
      : sql`(key.token_hash = ${name.hash} or (key.previous_token_hash = ${name.hash} and key.previous_valid_until > ${reader.now}))`;
  const { rows } = await sql<KeyRow>`
    select ${keyColumns(reader)} ${visibleKeys(reader)} and ${isNamed}
    ${isLocked ? sql`for no key update of key` : sql``}`.execute(transaction);
  return rows[0] ?? null;
}
