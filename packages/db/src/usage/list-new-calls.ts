import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { everyCall } from "./call-filter.ts";
import { type CallRow, firstIdAt, readCalls, timeOfId } from "./read-calls.ts";

export interface NewCall {
  readonly organizationId: string;
  readonly id: string;
}

/**
 * Maximum duration of a settlement. A settlement has the timestamp of its start, but becomes visible only when it ends.
 */
const SETTLED_OVERLAP = "5 seconds";
/**
 * Maximum delay until a refused call is written. A refused call's row has only the time of the call, not the time at
 * which the row was written.
 */
const REFUSED_OVERLAP_MS = 30_000;
const MAX_NEW = 20_000;

/**
 * Lists the IDs of these organizations' calls that became visible recently. Consecutive results overlap, so a poller
 * must track the IDs that it has seen. Uses one statement for all organizations.
 */
export async function listNewCalls(db: Database, organizationIds: readonly string[]): Promise<readonly NewCall[]> {
  const refusedAfter = firstIdAt(Date.now() - REFUSED_OVERLAP_MS);
  const { rows } = await sql<NewCall>`
    select organization_id as "organizationId", id
      from list_new_calls(${[...organizationIds]}::text[], now() - ${SETTLED_OVERLAP}::interval,
        ${refusedAfter}::uuid, ${MAX_NEW})`.execute(db);
  return rows;
}

/** Reads these calls of an organization, earliest first. */
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
