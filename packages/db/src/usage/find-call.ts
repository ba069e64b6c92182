import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { CallFilter } from "./call-filter.ts";
import { type CallRow, readCalls } from "./read-calls.ts";

/** A call by its id, when it is one that this filter lets be seen. */
export async function findCall(
  transaction: TenantTransaction,
  filter: CallFilter,
  id: string,
): Promise<CallRow | null> {
  const atMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  if (atMs < filter.from.getTime() || atMs >= filter.to.getTime()) return null;
  const time = { fromMs: atMs, toMs: atMs + 1 };
  const window = { order: { by: "time", isDescending: true }, after: null, skip: 0, limit: 1 } as const;
  const [row] = await readCalls(transaction, { ...filter, id }, [time], window);
  return row ?? null;
}

/** What was asked and answered, sealed; null when it was not kept or its time is over. */
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
