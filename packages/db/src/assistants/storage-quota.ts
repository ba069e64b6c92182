import { type FullStorage, recordBytes, type StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** The key that stored records count against, and its organization. */
interface StorageOwner {
  readonly keyId: string;
  readonly organizationId: string | null;
}

/** The owner of what a transaction stores. */
export interface StorageQuota extends StorageOwner {
  /** Null for a worker, which checks the limits before it calls a model, and then stores the whole response. */
  readonly limits: StorageLimits | null;
  /** Called when a write is near a limit, where the writers of an organization wait for each other in the database. */
  readonly onNearLimit?: () => void;
}

/** A transaction and the quota that its writes count against. */
interface Storing {
  readonly transaction: TenantTransaction;
  readonly storage: StorageQuota;
}

/** Thrown when a write would exceed a limit of stored bytes. The transaction must be rolled back. */
export class StorageFullError extends Error {
  readonly full: FullStorage;

  constructor(full: FullStorage) {
    super(`the limit of stored bytes is reached: ${full.reason}`);
    this.name = "StorageFullError";
    this.full = full;
  }
}

/** Throws if these new records would exceed a limit. Must be called before they are inserted. */
export function reserveStorage(storing: Storing, records: readonly string[]): Promise<void> {
  const added = records.reduce((sum, record) => sum + recordBytes(record), 0);
  return reserve(storing, added, added);
}

/** Throws if the new text of a record would exceed a limit. A record that another key wrote counts in full for the key. */
export function reserveChange(
  storing: Storing,
  stored: { readonly record: string; readonly key_id: string | null },
  record: string,
): Promise<void> {
  const added = recordBytes(record) - recordBytes(stored.record);
  return reserve(storing, added, stored.key_id === storing.storage.keyId ? added : recordBytes(record));
}

async function reserve({ transaction, storage }: Storing, added: number, addedToKey: number): Promise<void> {
  const { limits } = storage;
  if (limits === null || Math.max(added, addedToKey) <= 0) return;
  const { full, isNear } = await checkLimits(transaction, storage, limits, { added, addedToKey });
  if (isNear) storage.onNearLimit?.();
  if (full !== null) throw new StorageFullError(full);
}

/** Returns the limit that a new record with at least this much encrypted text would exceed, or null. */
export async function findFullStorage(
  db: Database | TenantTransaction,
  owner: StorageOwner,
  limits: StorageLimits,
  text = "",
): Promise<FullStorage | null> {
  const added = recordBytes(text);
  return (await checkLimits(db, owner, limits, { added, addedToKey: added })).full;
}

async function checkLimits(
  db: Database | TenantTransaction,
  { keyId, organizationId }: StorageOwner,
  { perKey, perOrganization, withoutCredit }: StorageLimits,
  { added, addedToKey }: { readonly added: number; readonly addedToKey: number },
): Promise<{ readonly full: FullStorage | null; readonly isNear: boolean }> {
  const { rows } = await sql<{ reason: FullStorage["reason"] | null; current: bigint; maximum: bigint | null }>`
    select reason, current, maximum from find_full_storage(${organizationId}, ${keyId}, ${added}, ${addedToKey},
      ${perKey}, ${perOrganization}, ${withoutCredit})`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("a function with result parameters always returns a row");
  const isNear = row.maximum !== null;
  if (row.reason === null) return { full: null, isNear };
  return { full: { reason: row.reason, current: Number(row.current), maximum: Number(row.maximum) }, isNear };
}
