import { REJECTED_STATUSES } from "@tollgate/domain/figures/request-class.ts";
import { type RawBuilder, sql } from "kysely";
import { LATENCY_STEPS } from "../../usage/latency-steps.ts";
import { type Invariant, type Scope, within } from "./invariant.ts";

const steps = Array.from({ length: LATENCY_STEPS }, (_, step) => step);
const storedSteps = sql.join(steps.map((step) => sql.ref(`latency_${step}`)));
const countedSteps = sql.join(
  steps.map((step) => sql`count(*) filter (where latency_step(latency_ms) = ${sql.lit(step)})`),
);
const summedColumns = [
  "requests",
  "errors",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "canceled",
  "rejected",
];
const largestColumns = ["max_cost", "max_latency_ms", "max_tokens"];

/** Selects all columns of a rollup row except its cost, optionally aggregated. */
function sumColumns(isSummed: boolean): RawBuilder<unknown> {
  const added = [...summedColumns, "reasoning_tokens", "latency_ms_sum", ...steps.map((step) => `latency_${step}`)];
  const columns = [
    ...added.map((column) => (isSummed ? sql`sum(${sql.ref(column)})` : sql.ref(column))),
    ...largestColumns.map((column) => (isSummed ? sql`max(${sql.ref(column)})` : sql.ref(column))),
  ];
  return sql`array[${sql.join(columns)}]::numeric[]`;
}

const rowsAndTransactionsAgree: Invariant = {
  id: "R3",
  title:
    "each billed request is in exactly one usage transaction, and each usage transaction is the sum of its requests",
  checked: "events",
  differences: (scope) => [
    sql`
      select event.organization_id, event.id::text as subject,
        'named by a usage transaction of its organization' as expected,
        case
          when entry.id is not null then entry.kind || ' ' || entry.id || ' of ' || entry.organization_id
          else coalesce(event.transaction_id || ', which does not exist', 'none')
        end as found,
        event.cost as amount
      from usage_events event left join ledger_transactions entry on entry.id = event.transaction_id
      where event.state = 'settled' and event.is_billed and event.cost > 0
        and (entry.id is null or entry.kind <> 'usage' or entry.organization_id is distinct from event.organization_id)
        and ${within(scope, "event.organization_id")}`,
    sql`
      select organization_id, id::text as subject, 'no transaction, because nothing was charged' as expected,
        transaction_id as found, cost as amount
      from usage_events
      where transaction_id is not null and (not is_billed or cost = 0) and ${within(scope, "organization_id")}`,
    sql`
      with ${sumsOfTransactions(scope)}
      select organization_id, id as subject, cost::text as expected, amount::text as found, amount - cost as amount
      from sums
      where cost > amount or (cost < amount and not may_lack_rows)`,
    // Closed-day totals don't show which calls were charged, so for dropped days, only charges that exceed the total of
    // all calls are detected.
    sql`
      with ${sumsOfTransactions(scope)},
      dropped as (
        select organization_id, sum(cost) as cost from usage_day_seals where day < ${scope.keptSince}::date group by organization_id
      )
      select sums.organization_id, 'calls of dropped days' as subject, 'at most ' || coalesce(max(dropped.cost), 0) as expected,
        sum(sums.amount - sums.cost)::text as found, sum(sums.amount - sums.cost) - coalesce(max(dropped.cost), 0) as amount
      from sums left join dropped on dropped.organization_id = sums.organization_id
      where sums.may_lack_rows
      group by sums.organization_id
      having sum(sums.amount - sums.cost) > coalesce(max(dropped.cost), 0)`,
    // The primary key is (day, id), so an ID can be duplicated only if it is stored under the wrong day.
    sql`
      select organization_id, id::text as subject, 'stored under ' || day_of_event(id) as expected,
        'stored under ' || day as found, cost as amount
      from usage_events
      where day <> day_of_event(id) and ${within(scope, "organization_id")}`,
    sql`
      select parked.organization_id, parked.id::text as subject, 'settled or parked' as expected, 'both' as found,
        event.cost as amount
      from parked_events parked join usage_events event on event.day = day_of_event(parked.id) and event.id = parked.id
      where parked.redriven_at is null and ${within(scope, "parked.organization_id")}`,
  ],
};

const rollupsEqualRows: Invariant = {
  id: "rollups",
  title: "each 15-minute rollup is the sum of its requests",
  checked: "rollups",
  differences: (scope) => [
    sql`
      with counted as (
        select organization_id, date_bin('15 minutes', time_of_event(id), 'epoch') as bucket_at,
          coalesce(team_id, '') as team_id, key_id, model_group, coalesce(provider, '') as provider,
          array[count(*), count(*) filter (where status = 'failure'), sum(input_tokens), sum(cache_read_tokens),
            sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens), sum(latency_ms), max(cost), max(latency_ms),
            max(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens), ${countedSteps},
            count(*) filter (where status = 'client_disconnect' and ${isClassified(scope, sql`bucket_of_event(id)`)}),
            count(*) filter (where status = 'failure' and http_status = any (${REJECTED_STATUSES}::smallint[])
              and ${isClassified(scope, sql`bucket_of_event(id)`)})]::numeric[] as counts,
          sum(cost) as cost
        from usage_events
        where organization_id is not null and ${within(scope, "organization_id")}
        group by 1, 2, 3, 4, 5, 6
      ), stored as (
        select organization_id, bucket_at, team_id, key_id, model_group, provider,
          array[requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
            latency_ms_sum, max_cost, max_latency_ms, max_tokens, ${storedSteps},
            case when ${isClassified(scope, sql`bucket_at`)} then canceled else 0 end,
            case when ${isClassified(scope, sql`bucket_at`)} then rejected else 0 end]::numeric[] as counts,
          cost::numeric as cost
        from usage_rollups
        where bucket_at >= ${scope.keptSince}::date::timestamp at time zone 'UTC' and ${within(scope, "organization_id")}
      )
      select organization_id,
        concat_ws(' ', to_char(bucket_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'), team_id, key_id, model_group, provider)
          as subject,
        coalesce('cost ' || counted.cost || ', counts ' || counted.counts::text, 'nothing') as expected,
        coalesce('cost ' || stored.cost || ', counts ' || stored.counts::text, 'nothing') as found,
        coalesce(stored.cost, 0) - coalesce(counted.cost, 0) as amount
      from counted full join stored using (organization_id, bucket_at, team_id, key_id, model_group, provider)
      where counted.cost is distinct from stored.cost or counted.counts is distinct from stored.counts`,
  ],
};

const daysEqualRollups: Invariant = {
  id: "days",
  title: "each hourly and daily rollup is the sum of its 15-minute rollups",
  checked: "rollups",
  differences: (scope) =>
    [
      { table: sql`usage_days`, at: sql`day::timestamp at time zone 'UTC'`, part: "day" },
      { table: sql`usage_hours`, at: sql`hour_at`, part: "hour" },
    ].map(
      ({ table, at, part }) => sql`
      with stored as (
        select organization_id, ${at} as at, team_id, key_id, model_group, provider, ${sumColumns(false)} as counts,
          cost::numeric as cost
        from ${table}
        where ${within(scope, "organization_id")}
      ), counted as (
        select organization_id, date_trunc(${sql.lit(part)}, bucket_at, 'UTC') as at, team_id, key_id, model_group, provider,
          ${sumColumns(true)} as counts, sum(cost)::numeric as cost
        from usage_rollups
        where ${within(scope, "organization_id")}
          and (organization_id, (bucket_at at time zone 'UTC')::date) in (select organization_id, day from usage_days)
        group by 1, 2, 3, 4, 5, 6
      )
      select organization_id, concat_ws(' ', ${sql.lit(part)}, at, team_id, key_id, model_group, provider) as subject,
        coalesce('cost ' || counted.cost || ', counts ' || counted.counts::text, 'nothing') as expected,
        coalesce('cost ' || stored.cost || ', counts ' || stored.counts::text, 'nothing') as found,
        coalesce(stored.cost, 0) - coalesce(counted.cost, 0) as amount
      from counted full join stored using (organization_id, at, team_id, key_id, model_group, provider)
      where counted.cost is distinct from stored.cost or counted.counts is distinct from stored.counts`,
    ),
};

export const usageInvariants: readonly Invariant[] = [rowsAndTransactionsAgree, rollupsEqualRows, daysEqualRollups];

/** Restricts a check to rollups that have the counts of canceled and rejected requests. */
function isClassified({ classifiedSince }: Scope, bucketAt: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${bucketAt} >= ${classifiedSince}`;
}

/**
 * Each usage transaction with its posted amount and the cost of its calls. The transaction's key contains its earliest
 * call, which shows whether some of the call rows may have been dropped.
 */
function sumsOfTransactions(scope: Scope): RawBuilder<unknown> {
  return sql`
    moved as (
      select entry.id, entry.organization_id, coalesce(sum(posting.amount), 0) as amount,
        case when entry.idempotency_key ~ '^usage:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
          then day_of_event(substr(entry.idempotency_key, 7)::uuid) < ${scope.keptSince}::date else false end as may_lack_rows
      from ledger_transactions entry left join ledger_postings posting on posting.transaction_id = entry.id
      where entry.kind = 'usage' and ${within(scope, "entry.organization_id")}
      group by entry.id
    ), charged as (
      select transaction_id, sum(cost) as cost
      from usage_events
      where transaction_id is not null and ${within(scope, "organization_id")}
      group by transaction_id
    ), sums as (
      select moved.*, coalesce(charged.cost, 0) as cost
      from moved left join charged on charged.transaction_id = moved.id
    )`;
}
