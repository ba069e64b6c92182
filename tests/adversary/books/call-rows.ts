import type { Database } from "@tollgate/db/connect.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { sql } from "kysely";

/** A call as the usage rows have it. */
export interface CallRow {
  readonly callId: string;
  readonly cost: bigint;
  /** Nano-USD that the operator lost on attempts of this call. */
  readonly loss: bigint;
  readonly hold: bigint;
  readonly status: string;
  readonly source: string;
  readonly errorCode: string | null;
}

const CLOCK_MARGIN_MS = 5_000;
/** The nonce ends here; what follows tells calls of one nonce apart. */
export const SEPARATOR = ".";

/** The rows of calls whose id begins so, by nonce. */
export async function readCallRows(
  books: Database,
  prefix: string,
  sinceMs: number,
): Promise<ReadonlyMap<string, readonly CallRow[]>> {
  const first = makeUuidV7(sinceMs - CLOCK_MARGIN_MS, new Uint8Array(10));
  // The column is read by name from JSON, so that the suite also runs on schemas that do not have it yet.
  const { rows } = await sql<CallRow>`
    select request_id as "callId", cost, hold, status, usage_source as source, error_code as "errorCode",
      coalesce((to_jsonb(call) ->> 'loss')::bigint, 0) as loss
    from usage_events call
    where day >= day_of_event(${first}) and id >= ${first} and starts_with(request_id, ${prefix})`.execute(books);
  const byNonce = new Map<string, CallRow[]>();
  for (const row of rows) {
    const nonce = row.callId.slice(0, row.callId.lastIndexOf(SEPARATOR));
    const known = byNonce.get(nonce);
    if (known === undefined) byNonce.set(nonce, [row]);
    else known.push(row);
  }
  return byNonce;
}

/** Nano-USD in the operator's loss account; null where there is no such account. */
export async function readLossAccount(books: Database): Promise<bigint | null> {
  const { rows } = await sql<{ lost: bigint | null }>`
    select (sum(amount) filter (where destination = 'sys:loss')
      - coalesce(sum(amount) filter (where source = 'sys:loss'), 0))::bigint as lost
    from ledger_postings`.execute(books);
  return rows[0]?.lost ?? null;
}
