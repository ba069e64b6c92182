import type { Page, PageQuery } from "@tollgate/domain/assistants/records.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Columns that every listed row has. */
interface ListedRow {
  readonly id: string;
  readonly created_at: Date;
  readonly record: string;
}

/**
 * Reads one page of a table's rows that match a condition, ordered by creation time and then ID. A cursor must be the
 * ID of a row that matches the same condition. Any other cursor is unknown.
 */
export async function listPage<Row extends ListedRow>(
  transaction: TenantTransaction,
  table: "assistants" | "thread_messages" | "thread_runs" | "run_steps",
  condition: RawBuilder<unknown>,
  { limit, order, after, before }: PageQuery,
): Promise<Page<Row> | "unknown_cursor"> {
  const source = sql.table(table);
  const cursors = [after, before].filter((cursor) => cursor !== undefined);
  if (!(await areAllThere(transaction, source, condition, cursors))) return "unknown_cursor";
  const place = (cursor: string) => sql`(select created_at, id from ${source} where id = ${cursor})`;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const [behind, ahead] = order === "asc" ? [sql`>`, sql`<`] : [sql`<`, sql`>`];
  // With `before` alone, read backward from the cursor to get the page right before it.
  const isBackwards = before !== undefined && after === undefined;
  const reading = isBackwards ? (order === "asc" ? sql`desc` : sql`asc`) : direction;
  const { rows } = await sql<Row>`
    select * from ${source}
     where ${condition}
       ${after === undefined ? sql`` : sql`and (created_at, id) ${behind} ${place(after)}`}
       ${before === undefined ? sql`` : sql`and (created_at, id) ${ahead} ${place(before)}`}
     order by created_at ${reading}, id ${reading}
     limit ${limit + 1}`.execute(transaction);
  const items = rows.slice(0, limit);
  return { items: isBackwards ? items.reverse() : items, hasMore: rows.length > limit };
}

async function areAllThere(
  transaction: TenantTransaction,
  source: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return true;
  const { rows } = await sql<{ id: string }>`
    select id from ${source} where ${condition} and id = any(${ids})`.execute(transaction);
  return ids.every((id) => rows.some((row) => row.id === id));
}
