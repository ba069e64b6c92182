import type { Database } from "@tollgate/db/connect.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { sql } from "kysely";

/** A call as recorded in the ledger. */
export interface UsageRow {
  readonly id: string;
  readonly nonce: string;
  readonly organizationId: string | null;
  readonly cost: bigint;
  readonly hold: bigint;
  readonly source: "reported" | "estimated";
}

const CLOCK_MARGIN_MS = 5_000;

/**
 * Returns the rows of calls whose nonce starts with the prefix, by nonce. Reads only rows that are newer than the given
 * time.
 */
export async function readUsageRows(
  ledger: Database,
  prefix: string,
  sinceMs: number,
): Promise<Map<string, UsageRow[]>> {
  const first = makeUuidV7(sinceMs - CLOCK_MARGIN_MS, new Uint8Array(10));
  const { rows } = await sql<UsageRow>`
    select id, request_id as nonce, organization_id as "organizationId", cost, hold, usage_source as source
    from usage_events
    where day >= day_of_event(${first}) and id >= ${first} and starts_with(request_id, ${prefix})`.execute(ledger);
  const byNonce = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const known = byNonce.get(row.nonce);
    if (known === undefined) byNonce.set(row.nonce, [row]);
    else known.push(row);
  }
  return byNonce;
}
