import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { everyCall } from "./call-filter.ts";
import { type CallRow, firstIdAt, readCalls, timeOfId } from "./read-calls.ts";

export interface NewCall {
  readonly organizationId: string;
  readonly id: string;
}

/** A settlement is dated by its beginning, and its rows are seen at its end; a call is settled this late at most. */
const SETTLED_OVERLAP = "5 seconds";
/** Refused calls have no other date than their own; they are written this late at most. */
const REFUSED_OVERLAP_MS = 30_000;
const MAX_NEW = 20_000;

/**
 * The calls of these organizations that became known a moment ago, each several times over: whoever asks again and again
 * remembers which it has seen. One statement for all of them, which tells ids and nothing else.
 */
export async function listNewCalls(db: Database, organizationIds: readonly string[]): Promise<readonly NewCall[]> {
  const refusedAfter = firstIdAt(Date.now() - REFUSED_OVERLAP_MS);
  const { rows } = await sql<NewCall>`
    select organization_id as "organizationId", id
      from list_new_calls(${[...organizationIds]}::text[], now() - ${SETTLED_OVERLAP}::interval,
        ${refusedAfter}::uuid, ${MAX_NEW})`.execute(db);
  return rows;
}

/** These calls of an organization, the earliest first. */
export function readCallsByIds(
  transaction: TenantTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<CallRow[]> {
  const times = ids.map(timeOfId);
  const [fromMs, toMs] = [Math.min(...times), Math.max(...times) + 1];
  const filter = { ...everyCall, organizationId, from: new Date(fromMs), to: new Date(toMs), ids };
  const order = { by: "time", isDescending: false } as const;
  return readCalls(transaction, filter, [{ fromMs, toMs }], { order, after: null, skip: 0, limit: ids.length });
}
