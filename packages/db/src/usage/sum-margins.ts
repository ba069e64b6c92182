import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

type MarginGrouping = "model" | "provider" | "organization" | "day";

/** Revenue and gross margin of requests. */
export interface MarginSums {
  readonly requests: number;
  readonly revenue: NanoUsd;
  readonly margin: NanoUsd;
}

interface MarginGroup extends MarginSums {
  readonly group: string;
  /** Name of the organization, or the group itself. */
  readonly name: string;
}

interface MarginReport {
  /** At most as many groups as a report has. */
  readonly groups: readonly MarginGroup[];
  /** The sums of all groups, also of those that the report leaves out. */
  readonly totals: MarginSums;
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
): Promise<MarginReport> {
  const group = groups[grouping];
  const { rows } = await sql<MarginRow>`
    select ${group} as "group", coalesce(max(${grouping === "organization" ? sql`organizations.name` : sql`null::text`}), ${group}) as name,
           sum(requests)::float8 as requests, sum(cost)::bigint as revenue, sum(margin)::bigint as margin,
           sum(sum(requests)) over ()::float8 as "allRequests", sum(sum(cost)) over ()::bigint as "allRevenue",
           sum(sum(margin)) over ()::bigint as "allMargin"
      from usage_rollups as sums
      left join organizations on organizations.id = sums.organization_id
     where sums.bucket_at >= ${from} and sums.bucket_at < ${to}
     group by 1
     order by ${grouping === "day" ? sql`1` : sql`sum(cost) desc, 1`}
     limit ${MAX_GROUPS}`.execute(transaction);
  const [first] = rows;
  return {
    groups: rows.map(({ group: of, name, requests, revenue, margin }) => ({
      group: of,
      name,
      requests,
      revenue,
      margin,
    })),
    totals: {
      requests: first?.allRequests ?? 0,
      revenue: first?.allRevenue ?? 0n,
      margin: first?.allMargin ?? 0n,
    },
  };
}

interface MarginRow extends MarginGroup {
  readonly allRequests: number;
  readonly allRevenue: NanoUsd;
  readonly allMargin: NanoUsd;
}
