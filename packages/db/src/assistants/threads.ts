import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { Owner, Thread, ThreadFields } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import { type Access, isOwned } from "./access.ts";
import { type ThreadRow, toThread } from "./open-rows.ts";
import { sealRecord } from "./sealed-record.ts";
import { reserveChange, reserveStorage } from "./storage-quota.ts";

export async function insertThread(
  access: Access,
  owner: Owner,
  organizationId: string | null,
  fields: ThreadFields,
): Promise<{ readonly thread: Thread; readonly row: ThreadRow }> {
  const { transaction, sealer, storage } = access;
  const id = makeRecordId("thread");
  const record = sealRecord(sealer, id, fields);
  await reserveStorage(access, [record]);
  const row = await transaction
    .insertInto("threads")
    .values({ id, owner, organization_id: organizationId, key_id: storage.keyId, record })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { thread: toThread(sealer, row), row };
}

/** Returns the thread, or null if it doesn't exist or isn't visible. */
export async function findThread(access: Access, id: string): Promise<Thread | null> {
  const row = await access.transaction
    .selectFrom("threads")
    .selectAll()
    .where("id", "=", id)
    .where(isOwned(access))
    .executeTakeFirst();
  return row === undefined ? null : toThread(access.sealer, row);
}

/**
 * Locks the thread's row until the transaction ends. Writers lock the thread first and its run second, so that they
 * can't deadlock.
 */
export async function lockThread(access: Pick<Access, "transaction" | "owner">, id: string): Promise<ThreadRow | null> {
  const row = await access.transaction
    .selectFrom("threads")
    .selectAll()
    .where("id", "=", id)
    .where(isOwned(access))
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Replaces the given fields and leaves the other fields unchanged. */
export async function changeThread(access: Access, id: string, fields: Partial<ThreadFields>): Promise<Thread | null> {
  const { transaction, sealer, storage } = access;
  const row = await lockThread(access, id);
  if (row === null) return null;
  const known = toThread(sealer, row);
  const changed = { ...known, fields: { ...known.fields, ...fields } };
  const record = sealRecord(sealer, id, changed.fields);
  await reserveChange(access, row, record);
  await transaction
    .updateTable("threads")
    .set({ record, key_id: storage.keyId, touched_at: sql`now()` })
    .where("id", "=", id)
    .execute();
  return changed;
}

/** Deletes the thread with its messages, runs, and events, and reports whether it existed. */
export async function deleteThread(access: Access, id: string): Promise<boolean> {
  const { transaction } = access;
  if ((await lockThread(access, id)) === null) return false;
  await transaction
    .deleteFrom("run_events")
    .where("run_id", "in", transaction.selectFrom("thread_runs").select("id").where("thread_id", "=", id))
    .execute();
  await transaction.deleteFrom("threads").where("id", "=", id).execute();
  return true;
}
