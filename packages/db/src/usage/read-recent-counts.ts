import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { beginWideReport } from "./report-scope.ts";

/** Requests of one model group at one provider that succeeded or failed. */
export interface RecentCounts {
  readonly model: string;
  readonly provider: string;
  readonly succeeded: number;
  readonly failed: number;
}

const MAX_PAIRS = 10_000;

/**
 * Counts the requests of all organizations since this time, in full quarter hours that start after it. Requires an
 * administrator's transaction.
 */
export async function readRecentCounts(transaction: TenantTransaction, since: Date): Promise<readonly RecentCounts[]> {
  await beginWideReport(transaction);
  const { rows } = await sql<RecentCounts>`
    select model_group as model, provider, sum(requests - errors - canceled)::float8 as succeeded,
           sum(errors - rejected)::float8 as failed
      from usage_rollups
     where bucket_at > ${since}
     group by 1, 2
     limit ${MAX_PAIRS}`.execute(transaction);
  return rows;
}
