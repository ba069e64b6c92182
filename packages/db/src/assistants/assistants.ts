import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { Assistant, AssistantFields, Owner, Page, PageQuery } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import { type Access, isOwned } from "./access.ts";
import { listPage } from "./list-page.ts";
import { type AssistantRow, toAssistant } from "./open-rows.ts";
import { sealRecord } from "./sealed-record.ts";
import { reserveChange, reserveStorage } from "./storage-quota.ts";

export async function insertAssistant(
  access: Access,
  owner: Owner,
  organizationId: string | null,
  fields: AssistantFields,
): Promise<Assistant> {
  const { transaction, sealer, storage } = access;
  const id = makeRecordId("asst");
  const record = sealRecord(sealer, id, fields);
  await reserveStorage(access, [record]);
  const row = await transaction
    .insertInto("assistants")
    .values({ id, owner, organization_id: organizationId, key_id: storage.keyId, record })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAssistant(sealer, row);
}

/** Returns the assistant, or null if it doesn't exist or isn't visible. */
export async function findAssistant(access: Access, id: string): Promise<Assistant | null> {
  const row = await access.transaction
    .selectFrom("assistants")
    .selectAll()
    .where("id", "=", id)
    .where(isOwned(access))
    .executeTakeFirst();
  return row === undefined ? null : toAssistant(access.sealer, row);
}

/** Replaces the given fields and leaves the other fields unchanged. */
export async function changeAssistant(
  access: Access,
  id: string,
  fields: Partial<AssistantFields>,
): Promise<Assistant | null> {
  const { transaction, sealer, storage } = access;
  const row = await transaction
    .selectFrom("assistants")
    .selectAll()
    .where("id", "=", id)
    .where(isOwned(access))
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  const known = toAssistant(sealer, row);
  const changed = { ...known, fields: { ...known.fields, ...fields } };
  const record = sealRecord(sealer, id, changed.fields);
  await reserveChange(access, row, record);
  await transaction.updateTable("assistants").set({ record, key_id: storage.keyId }).where("id", "=", id).execute();
  return changed;
}

/** Deletes the assistant and reports whether it existed. Its runs continue with the settings they were created with. */
export async function deleteAssistant(access: Access, id: string): Promise<boolean> {
  const { numDeletedRows } = await access.transaction
    .deleteFrom("assistants")
    .where("id", "=", id)
    .where(isOwned(access))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Lists one page of the owner's assistants. */
export async function listAssistants(access: Access, query: PageQuery): Promise<Page<Assistant> | "unknown_cursor"> {
  const page = await listPage<AssistantRow>(access.transaction, "assistants", sql`${isOwned(access)}`, query);
  if (page === "unknown_cursor") return page;
  return { ...page, items: page.items.map((row) => toAssistant(access.sealer, row)) };
}
