import type { Message, MessageFields, Metadata, Page, PageQuery } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import { type Access, isOwned } from "./access.ts";
import { listPage } from "./list-page.ts";
import { type MessageRow, type ThreadRow, toMessage } from "./open-rows.ts";
import { sealRecord } from "./sealed-record.ts";
import { reserveChange, reserveStorage } from "./storage-quota.ts";
import { lockThread } from "./threads.ts";

const MAX_MESSAGES = 100_000;

export interface NewMessage {
  readonly id: string;
  readonly fields: MessageFields;
  /** Creation time; now if absent. */
  readonly createdAtMs?: number;
}

/**
 * Adds messages to a locked thread in this order. Each message's timestamp is at least a microsecond after those of the
 * previous message and all existing messages, because lists are ordered by time.
 */
export async function insertMessages(
  access: Access,
  thread: ThreadRow,
  runId: string | null,
  messages: readonly NewMessage[],
): Promise<readonly Message[]> {
  const { transaction, sealer, storage } = access;
  if (messages.length === 0) return [];
  const records = messages.map(({ id, fields }) => sealRecord(sealer, id, fields));
  await reserveStorage(access, records);
  const begunAt =
    messages[0]?.createdAtMs === undefined
      ? sql`clock_timestamp()`
      : sql`${new Date(messages[0].createdAtMs)}::timestamptz`;
  const { rows } = await sql<MessageRow>`
    insert into thread_messages (id, thread_id, owner, organization_id, key_id, run_id, created_at, record)
    select added.id, ${thread.id}, ${thread.owner}, ${thread.organization_id}, ${storage.keyId}, ${runId},
           latest.at + (added.place - 1) * interval '1 microsecond', added.record
      from unnest(${messages.map(({ id }) => id)}::text[], ${records}::text[]) with ordinality as added (id, record, place),
           (select greatest(${begunAt}, max(created_at) + interval '1 microsecond') as at
              from thread_messages where thread_id = ${thread.id}) as latest
    returning *`.execute(transaction);
  await countMessages(access, thread.id, messages.length);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return messages.map(({ id }) => toMessage(sealer, byId.get(id) as MessageRow));
}

/** Reports whether a locked thread has capacity for this many more messages. */
export function hasCapacity(thread: ThreadRow, added: number): boolean {
  return thread.message_count + added <= MAX_MESSAGES;
}

/** Adjusts a locked thread's message count and updates its activity time. */
export async function countMessages({ transaction }: Access, threadId: string, added: number): Promise<void> {
  await sql`update threads set message_count = message_count + ${added}, touched_at = now()
    where id = ${threadId}`.execute(transaction);
}

/** Returns the message, or null if the thread has no such visible message. */
export async function findMessage(access: Access, threadId: string, id: string): Promise<Message | null> {
  const row = await messageRow(access, threadId, id).executeTakeFirst();
  return row === undefined ? null : toMessage(access.sealer, row);
}

export async function changeMessage(
  access: Access,
  threadId: string,
  id: string,
  metadata: Metadata,
): Promise<Message | null> {
  const row = await messageRow(access, threadId, id).forUpdate().executeTakeFirst();
  if (row === undefined) return null;
  const message = toMessage(access.sealer, row);
  const changed = { ...message, fields: { ...message.fields, metadata } };
  const { transaction, sealer, storage } = access;
  const record = sealRecord(sealer, id, changed.fields);
  await reserveChange(access, row, record);
  const columns = { record, key_id: storage.keyId };
  await transaction.updateTable("thread_messages").set(columns).where("id", "=", id).execute();
  return changed;
}

/** Overwrites the stored fields of a run's message, which still counts against the key that the run had. */
export async function rewriteMessage({ transaction, sealer }: Access, { id, fields }: NewMessage): Promise<void> {
  await transaction
    .updateTable("thread_messages")
    .set({ record: sealRecord(sealer, id, fields) })
    .where("id", "=", id)
    .execute();
}

/** Deletes the message and reports whether it existed. */
export async function deleteMessage(access: Access, threadId: string, id: string): Promise<boolean> {
  if ((await lockThread(access, threadId)) === null) return false;
  const { numDeletedRows } = await access.transaction
    .deleteFrom("thread_messages")
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await countMessages(access, threadId, -1);
  return true;
}

/** Lists one page of a thread's messages, optionally only those from one run. */
export async function listMessages(
  access: Access,
  threadId: string,
  { runId, ...query }: PageQuery & { readonly runId?: string },
): Promise<Page<Message> | "unknown_cursor"> {
  const ofRun = runId === undefined ? sql`true` : sql`run_id = ${runId}`;
  const condition = sql`thread_id = ${threadId} and ${isOwned(access)} and ${ofRun}`;
  const page = await listPage<MessageRow>(access.transaction, "thread_messages", condition, query);
  if (page === "unknown_cursor") return page;
  return { ...page, items: page.items.map((row) => toMessage(access.sealer, row)) };
}

function messageRow(access: Access, threadId: string, id: string) {
  return access.transaction
    .selectFrom("thread_messages")
    .selectAll()
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .where(isOwned(access));
}
