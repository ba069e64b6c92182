import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { CallFilter } from "./call-filter.ts";
import { dayOf } from "./sum-parts.ts";

/** Maximum number of calls that a search resolves to IDs. */
const MAX_FOUND = 1_000;
/**
 * A request ID that the client didn't supply equals the call ID, so a prefix of this length identifies the minute of
 * the call.
 */
const PART_OF_ID = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/;
const SHORT_PART_OF_ID = /^[0-9a-f]{1,7}$/;

/**
 * Replaces the filter's search with indexed conditions where possible: call IDs, or the error codes that contain the
 * text. If both call IDs and error codes match, or too many calls match, the search remains and rows are scanned.
 */
export async function resolveSearch(
  transaction: TenantTransaction,
  filter: CallFilter,
  codes: readonly string[],
): Promise<CallFilter> {
  const { search, errorCodes } = filter;
  if (search === null || SHORT_PART_OF_ID.test(search)) return filter;
  const ids = await findIds(transaction, filter, search);
  if (ids.length > MAX_FOUND || (ids.length > 0 && codes.length > 0)) return filter;
  if (ids.length > 0) return { ...filter, search: null, ids };
  const chosen = errorCodes === null ? codes : codes.filter((code) => errorCodes.includes(code));
  // No call matches, so make the time range empty.
  return chosen.length === 0 ? { ...filter, to: filter.from } : { ...filter, search: null, errorCodes: chosen };
}

async function findIds(transaction: TenantTransaction, filter: CallFilter, search: string): Promise<string[]> {
  const { organizationId, from, to } = filter;
  const beginning = `${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const hex = search.replaceAll("-", "");
  const own = PART_OF_ID.test(search)
    ? sql`id between ${hex.padEnd(32, "0")}::uuid and ${hex.padEnd(32, "f")}::uuid and request_id like ${beginning}`
    : sql`false`;
  const labeled = sql`request_id like ${beginning} and request_id <> id::text`;
  const days = sql`day between ${dayOf(from.getTime())}::date and ${dayOf(to.getTime())}::date`;
  const mine = sql`organization_id = ${organizationId}`;
  const { rows } = await sql<{ id: string }>`
    (select id from usage_events where ${mine} and ${days} and ${labeled} limit ${MAX_FOUND + 1})
    union (select id from usage_events where ${mine} and ${days} and ${own} limit ${MAX_FOUND + 1})
    union (select id from refused_calls where ${mine} and ${labeled} limit ${MAX_FOUND + 1})
    union (select id from refused_calls where ${mine} and ${own} limit ${MAX_FOUND + 1})`.execute(transaction);
  return rows.map(({ id }) => id);
}
