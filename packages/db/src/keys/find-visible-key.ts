import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type KeyReader, type KeyRow, type KeyView, keyColumns, visibleKeys, withMoney } from "./key-view.ts";

/** What names a key: its id, or its secret, of which only the digest comes here. */
export type KeyName = { readonly id: string } | { readonly hash: Buffer };

/**
 * The key of that name, if the reader may see it; null for one that is foreign or does not exist. Name and sight are one
 * query, so that nothing tells the two apart.
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

/** The same for whoever will change it: nobody else changes the key until this transaction ends. */
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
