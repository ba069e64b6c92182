import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** What a provider reported for the requests of one model group, and what its prices give. */
export interface ReportedCosts {
  readonly provider: string;
  readonly modelGroup: string;
  readonly requests: number;
  readonly reported: NanoUsd;
  /** The cost at the provider's prices, as far as the ledger knows them. */
  readonly computed: NanoUsd;
  readonly revenue: NanoUsd;
}

/**
 * Compares the costs that providers reported with those that their prices give, for the newest requests with both.
 * Requests without a price are left out.
 */
export async function compareReportedCosts(
  db: Database,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<readonly ReportedCosts[]> {
  const { rows } = await sql<ReportedCosts>`
    select provider, model_group as "modelGroup", count(*)::float8 as requests, sum(reported_cost)::bigint as reported,
           sum(coalesce(provider_cost, cost + loss))::bigint as computed, sum(cost)::bigint as revenue
      from (
        select provider, model_group, reported_cost, provider_cost, cost, loss
          from usage_events
         where day >= ${since}::timestamptz at time zone 'UTC' - interval '1 day' and ended_at >= ${since}
           and reported_cost is not null and price_version_id is not null
         order by day desc, id desc
         limit ${limit}
      ) as newest
     group by 1, 2
     order by sum(reported_cost) desc, 1, 2`.execute(db);
  return rows;
}
