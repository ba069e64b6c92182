import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

type MarginGrouping = "model" | "provider" | "organization" | "day";

/** Revenue and gross margin of the requests of one group. */
export interface MarginSums {
  readonly group: string;
  /** Name of the organization, or the group itself. */
  readonly name: string;
  readonly requests: number;
  readonly revenue: NanoUsd;
  readonly margin: NanoUsd;
}

const MAX_GROUPS = 1_000;

const groups: Readonly<Record<MarginGrouping, RawBuilder<string>>> = {
  model: sql`sums.model_group`,
  provider: sql`sums.provider`,
  organization: sql`sums.organization_id`,
  day: sql`to_char(sums.bucket_at at time zone 'UTC', 'YYYY-MM-DD')`,
};

/** Sums the gross margin of all organizations from the rollups, the largest revenue first; days in order. */
export async function sumMargins(
  transaction: TenantTransaction,
  { from, to, grouping }: { readonly from: Date; readonly to: Date; readonly grouping: MarginGrouping },
): Promise<readonly MarginSums[]> {
  const group = groups[grouping];
  const { rows } = await sql<MarginSums>`
    select ${group} as "group", coalesce(max(${grouping === "organization" ? sql`organizations.name` : sql`null::text`}), ${group}) as name,
           sum(requests)::float8 as requests, sum(cost)::bigint as revenue, sum(margin)::bigint as margin
      from usage_rollups as sums
      left join organizations on organizations.id = sums.organization_id
     where sums.bucket_at >= ${from} and sums.bucket_at < ${to}
     group by 1
     order by ${grouping === "day" ? sql`1` : sql`sum(cost) desc, 1`}
     limit ${MAX_GROUPS}`.execute(transaction);
  return rows;
}
