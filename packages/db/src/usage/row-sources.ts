import { REJECTED_STATUSES } from "@tollgate/domain/figures/request-class.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, whereRefused, whereSettled } from "./call-filter.ts";
import { LATENCY_STEPS } from "./latency-steps.ts";
import { firstIdAt } from "./read-calls.ts";
import { dayOf } from "./sum-parts.ts";
import type { SumColumns } from "./sum-sources.ts";

/** Groupings that the rollups don't have. */
export type RowGrouping = "endpoint" | "session";

/** Maximum number of rows that are summed. */
export const MAX_SUMMED_ROWS = 200_000;

/** SQL expressions over a row, with an empty name for requests without a session. */
export const rowNames: Record<RowGrouping, RawBuilder<string>> = {
  endpoint: sql`endpoint`,
  session: sql`coalesce(session, '')`,
};

/** Selects the rows of the filter's time range with the columns of the rollups, each row as a rollup of its own. */
export function rowSourcesOf(filter: CallFilter, { settled, refused }: SumColumns): RawBuilder<unknown> {
  const at = sql<Date>`bucket_at`;
  const steps = Array.from(
    { length: LATENCY_STEPS },
    (_, step) => sql`(step = ${step})::integer as ${sql.ref(`latency_${step}`)}`,
  );
  const common = sql`bucket_of_event(id) as bucket_at, coalesce(team_id, '') as team_id, key_id, model_group, endpoint, session`;
  const parts = [
    sql`
      select ${settled(at)} from (
        select ${common}, coalesce(provider, '') as provider, 1 as requests, (status = 'failure')::integer as errors,
               (status = 'client_disconnect')::integer as canceled,
               (status = 'failure' and http_status = any (${REJECTED_STATUSES}::smallint[]))::integer as rejected,
               input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
               latency_ms as max_latency_ms, ${sql.join(steps)},
               case when cache_read_tokens > 0 or cache_write_tokens > 0 then coalesce(
                 (select cache_savings(usage_events, price) from price_versions as price where price.id = price_version_id), 0)
               else 0 end as cache_saved
          from usage_events cross join lateral (select latency_step(latency_ms) as step) as measured
         where ${whereSettled(filter)} and ${withinDays(filter)} and ${within(filter)}
      ) as rows`,
  ];
  if (refused !== null) {
    parts.push(sql`
      select ${refused(at)} from (
        select ${common}, weight as requests, case class when 'failed' then weight else 0 end as failed,
               case class when 'rejected' then weight else 0 end as rejected,
               case class when 'canceled' then weight else 0 end as canceled
          from refused_calls
         where ${whereRefused(filter)} and ${within(filter)}
      ) as rows`);
  }
  return sql.join(parts, sql` union all `);
}

/** Reports whether more rows than can be summed match. */
export async function hasTooManyRows(transaction: TenantTransaction, filter: CallFilter): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from (select from (${namesOf(filter, sql`1 as one`)}) as found
     limit ${MAX_SUMMED_ROWS + 1}) as counted`.execute(transaction);
  return (rows[0]?.count ?? 0) > MAX_SUMMED_ROWS;
}

/** Returns the names with the highest cost, or, among those without any cost, with the most requests. */
export async function findTopNames(
  transaction: TenantTransaction,
  filter: CallFilter,
  grouping: RowGrouping,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from (${namesOf(filter, sql`${rowNames[grouping]} as name`)}) as found
     group by name order by sum(cost) desc, sum(weight) desc, name limit ${limit}`.execute(transaction);
  return rows.map(({ name }) => name);
}

function namesOf(filter: CallFilter, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  const settled = sql`
    select ${columns}, cost, 1 as weight from usage_events
     where ${whereSettled(filter)} and ${withinDays(filter)} and ${within(filter)}`;
  if (!countingOf(filter).countsUnsettled) return settled;
  return sql`${settled}
    union all
    select ${columns}, 0, weight from refused_calls where ${whereRefused(filter)} and ${within(filter)}`;
}

function within({ from, to }: CallFilter): RawBuilder<boolean> {
  return sql`id >= ${firstIdAt(from.getTime())}::uuid and id < ${firstIdAt(to.getTime())}::uuid`;
}

function withinDays({ from, to }: CallFilter): RawBuilder<boolean> {
  return sql`day between ${dayOf(from.getTime())}::date and ${dayOf(to.getTime())}::date`;
}
