import { setImmediate } from "node:timers/promises";
import type { Owner } from "@tollgate/domain/assistants/records.ts";
import { type RawBuilder, sql } from "kysely";
import { type Access, isOwned } from "../assistants/access.ts";
import { reserveStorage } from "../assistants/storage-quota.ts";
import type { Database } from "../connect.ts";

/** Maximum number of turns in a conversation. Longer conversations are rejected before they are read. */
export const MAX_TURNS = 1_000;
const BATCH = 500;
/** Number of characters above which a record is decrypted in an event loop turn of its own. */
const LARGE_RECORD = 64 * 1024;
/** Maximum number of stored responses per owner, such as a team. */
const MAX_PER_OWNER = 100_000;
/** Size ratio of encrypted records, which are Base64-encoded: four characters for three bytes. */
const SEALED_FACTOR = 4 / 3;

export interface NewResponse {
  readonly id: string;
  readonly owner: Owner;
  readonly organizationId: string | null;
  readonly previousId: string | null;
  readonly itemIds: readonly string[];
  /** Request and response, as JSON text. */
  readonly record: string;
}

/** A stored response. */
export interface ResponseRow {
  readonly id: string;
  readonly previousId: string | null;
  readonly record: string;
}

/** Stores a response, or throws if storage is full. An existing response is not changed. */
export async function insertResponse(access: Access, response: NewResponse): Promise<void> {
  const { transaction, sealer, storage } = access;
  const { id, owner, organizationId, previousId, itemIds } = response;
  const record = sealer.seal(response.record, purposeOf(id));
  await reserveStorage(access, [record]);
  await transaction
    .insertInto("responses")
    .values({
      id,
      owner,
      organization_id: organizationId,
      previous_id: previousId,
      key_id: storage.keyId,
      item_ids: [...itemIds],
      record,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Returns the response, or null if it doesn't exist, has expired, or isn't visible. */
export async function findResponse(access: Access, id: string): Promise<ResponseRow | null> {
  const row = await access.transaction
    .selectFrom("responses")
    .select(["id", "previous_id", "record"])
    .where("id", "=", id)
    .where(isOwned(access))
    .where(sql<boolean>`expires_at > now()`)
    .executeTakeFirst();
  return row === undefined ? null : toKept(access, row);
}

/**
 * Reads a response and all of its predecessors, oldest first, and extends their expiry. The first response's
 * `previousId` is null unless an earlier response was deleted or there are too many responses. Reads nothing if the
 * responses together exceed `mostBytes`.
 */
export async function findConversation(
  access: Access,
  id: string,
  mostBytes: number,
): Promise<readonly ResponseRow[] | "too_large"> {
  const { rows } = await sql<Size>`
    with recursive turns as (
      select id, previous_id, pg_column_size(record) as bytes, 1 as turn from responses
        where id = ${id} and ${isOwned(access)} and expires_at > now()
      union all
      select r.id, r.previous_id, pg_column_size(r.record), t.turn + 1
        from turns t join responses r on r.id = t.previous_id
        where t.turn < ${MAX_TURNS} and ${isOwned(access)} and r.expires_at > now()
    )
    select id, bytes from turns order by turn desc`.execute(access.transaction);
  if (rows.length > 0) await keepOn(access, rows);
  return readAll(access, rows, mostBytes);
}

/** Reads the responses that produced any of these items, unless the responses together exceed `mostBytes`. */
export async function findByItems(
  access: Access,
  itemIds: readonly string[],
  mostBytes: number,
): Promise<readonly ResponseRow[] | "too_large"> {
  const { rows } = await sql<Size>`
    select id, pg_column_size(record) as bytes from responses
      where item_ids && ${[...itemIds]}::text[] and ${isOwned(access)} and expires_at > now()
      limit ${MAX_TURNS}`.execute(access.transaction);
  return readAll(access, rows, mostBytes);
}

/** Reads these responses in the given order. */
async function readAll(
  access: Access,
  sizes: readonly Size[],
  mostBytes: number,
): Promise<readonly ResponseRow[] | "too_large"> {
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > mostBytes * SEALED_FACTOR) return "too_large";
  const ids = sizes.map(({ id }) => id);
  const rows = await access.transaction
    .selectFrom("responses")
    .select(["id", "previous_id", "record"])
    .where("id", "=", sql<string>`any(${ids})`)
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  const kept: ResponseRow[] = [];
  for (const id of ids) {
    const row = found.get(id);
    if (row === undefined) continue;
    // Other work of the process runs between the responses, because decrypting a large one takes milliseconds.
    if (row.record.length >= LARGE_RECORD) await setImmediate();
    kept.push(toKept(access, row));
  }
  return kept;
}

/** Deletes the response and reports whether it existed. Later responses remain, but can't be continued. */
export async function deleteResponse(access: Access, id: string): Promise<boolean> {
  const { numDeletedRows } = await access.transaction
    .deleteFrom("responses")
    .where("id", "=", id)
    .where(isOwned(access))
    .where(sql<boolean>`expires_at > now()`)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Deletes expired responses, and the oldest responses of owners that exceed the limit. Returns how many were deleted.
 */
export async function deleteExpiredResponses(db: Database, mostPerOwner = MAX_PER_OWNER): Promise<number> {
  const expired = sql`select id from responses where expires_at <= now() order by expires_at limit ${BATCH}`;
  const tooMany = sql`
    select id from (
      select id, row_number() over (partition by owner order by created_at desc) as place from responses
      where owner in (select owner from responses group by owner having count(*) > ${mostPerOwner})
    ) ranked where place > ${mostPerOwner} limit ${BATCH}`;
  return (await deleteInBatches(db, expired)) + (await deleteInBatches(db, tooMany));
}

async function deleteInBatches(db: Database, ids: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from responses where id = any (array(${ids}))`.execute(db);
    total += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return total;
  }
}

/** Extends the expiry at most once a day per response, so that a long conversation isn't rewritten on every turn. */
async function keepOn({ transaction }: Access, rows: readonly Size[]): Promise<void> {
  await sql`
    update responses set expires_at = now() + interval '30 days'
      where id = any(${rows.map(({ id }) => id)}) and expires_at < now() + interval '29 days'`.execute(transaction);
}

interface Size {
  readonly id: string;
  readonly bytes: number;
}

interface Row {
  readonly id: string;
  readonly previous_id: string | null;
  readonly record: string;
}

function toKept({ sealer }: Access, { id, previous_id: previousId, record }: Row): ResponseRow {
  return { id, previousId, record: sealer.open(record, purposeOf(id)) };
}

/** Returns the encryption purpose for a response, which binds the ciphertext to that response. */
function purposeOf(id: string): string {
  return `response:${id}`;
}
