import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { CallFilter } from "./call-filter.ts";
import { type CallRow, readCalls, timeOfId } from "./read-calls.ts";
import { dayOf } from "./sum-parts.ts";

/** Finds a call by ID, if the filter allows it. */
export async function findCall(
  transaction: TenantTransaction,
  filter: CallFilter,
  id: string,
): Promise<CallRow | null> {
  const atMs = timeOfId(id);
  if (atMs < filter.from.getTime() || atMs >= filter.to.getTime()) return null;
  const time = { fromMs: atMs, toMs: atMs + 1 };
  const window = { order: { by: "time", isDescending: true }, after: null, skip: 0, limit: 1 } as const;
  const [row] = await readCalls(transaction, { ...filter, ids: [id] }, [time], window);
  return row ?? null;
}

/** Finds the latest call with this client-supplied label, if the filter allows it. */
export async function findLabeledCall(
  transaction: TenantTransaction,
  filter: CallFilter,
  label: string,
): Promise<CallRow | null> {
  const { rows } = await sql<{ id: string }>`
    select id from usage_events
     where organization_id = ${filter.organizationId} and request_id = ${label} and request_id <> id::text
       and day between ${dayOf(filter.from.getTime())}::date and ${dayOf(filter.to.getTime())}::date
    union all
    select id from refused_calls
     where organization_id = ${filter.organizationId} and request_id = ${label} and request_id <> id::text
     order by id desc limit ${MAX_ALIKE}`.execute(transaction);
  for (const { id } of rows) {
    const call = await findCall(transaction, filter, id);
    if (call !== null) return call;
  }
  return null;
}

/** Maximum number of calls with the same label to check. If more calls have the label, a visible call may be missed. */
const MAX_ALIKE = 20;

/** Encrypted request and response; null if they were not stored or have expired. */
export interface SealedContent {
  readonly request: string;
  readonly answer: string;
  readonly isCut: boolean;
}

export async function findContent(
  transaction: TenantTransaction,
  organizationId: string,
  id: string,
  now: Date,
): Promise<SealedContent | null> {
  const { rows } = await sql<SealedContent>`
    select request, answer, is_cut as "isCut" from call_contents
     where id = ${id}::uuid and organization_id = ${organizationId} and expires_at > ${now}`.execute(transaction);
  return rows[0] ?? null;
}

/** Returns the contents of these calls of an organization by call ID. Calls without content have no entry. */
export async function findContents(
  transaction: TenantTransaction,
  organizationId: string,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, SealedContent>> {
  const { rows } = await sql<SealedContent & { readonly id: string }>`
    select id, request, answer, is_cut as "isCut" from call_contents
     where id = any (${[...ids]}::uuid[]) and organization_id = ${organizationId} and expires_at > ${now}`.execute(
    transaction,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
