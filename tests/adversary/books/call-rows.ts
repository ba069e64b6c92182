import type { Database } from "@tollgate/db/connect.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { sql } from "kysely";
import { readAttemptLosses } from "./losses.ts";

/** A call as recorded in the usage rows. */
export interface CallRow {
  readonly callId: string;
  readonly cost: bigint;
  /** Part of the call's cost that the operator pays, in nano-USD: the excess over the hold, and failed attempts. */
  readonly loss: bigint;
  readonly lossReasons: string | null;
  readonly hold: bigint;
  readonly status: string;
  readonly source: string;
  readonly errorCode: string | null;
}

type StoredRow = Omit<CallRow, "lossReasons"> & { readonly id: string };

/** Call IDs start with the gateway's clock time, and one case sets that clock back by an hour. */
const CLOCK_MARGIN_MS = 2 * 3_600_000;
/** Separates the nonce from the index that distinguishes calls with the same nonce. */
export const SEPARATOR = ".";

/** Returns the usage rows of calls whose ID starts with the prefix, grouped by nonce. */
export async function readCallRows(
  books: Database,
  prefix: string,
  sinceMs: number,
): Promise<ReadonlyMap<string, readonly CallRow[]>> {
  const first = makeUuidV7(sinceMs - CLOCK_MARGIN_MS, new Uint8Array(10));
  // The query reads the column by name from JSON, so that the suite also runs on schemas that do not have the column
  // yet.
  const { rows: found } = await sql<StoredRow>`
    select id, request_id as "callId", cost, hold, status, usage_source as source, error_code as "errorCode",
      coalesce((to_jsonb(call) ->> 'loss')::bigint, 0) as loss
    from usage_events call
    where day >= day_of_event(${first}) and id >= ${first} and starts_with(request_id, ${prefix})`.execute(books);
  const lost = await readAttemptLosses(
    books,
    found.map(({ id }) => id),
  );
  const rows = found.map(({ id, ...row }): CallRow => {
    const attempts = lost.get(id);
    const beyondHold = row.loss > 0n ? "beyond the hold" : null;
    return { ...row, loss: row.loss + (attempts?.cost ?? 0n), lossReasons: attempts?.reasons ?? beyondHold };
  });
  const byNonce = new Map<string, CallRow[]>();
  for (const row of rows) {
    const nonce = row.callId.slice(0, row.callId.lastIndexOf(SEPARATOR));
    const known = byNonce.get(nonce);
    if (known === undefined) byNonce.set(nonce, [row]);
    else known.push(row);
  }
  return byNonce;
}
