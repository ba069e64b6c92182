import { REJECTED_STATUSES } from "@tollgate/domain/figures/request-class.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { firstIdAt } from "./read-calls.ts";
import { dayOf, type TimeRange } from "./sum-parts.ts";

/** Medians of a pair's latest calls, in milliseconds. */
export interface CallSample {
  readonly model: string;
  readonly provider: string;
  readonly firstTokenMs: number | null;
  readonly outputTokensPerSecond: number | null;
  /** Null if none of the calls was measured. */
  readonly gatewayBeforeMs: number | null;
  readonly queueMs: number | null;
  readonly failedMs: number | null;
  readonly waitMs: number | null;
  readonly generationMs: number | null;
  readonly gatewayAfterMs: number | null;
}

export interface LastFailure {
  readonly model: string;
  readonly provider: string;
  readonly at: Date;
  readonly httpStatus: number;
  readonly errorCode: string | null;
}

/** A time range within one day, and how many of its latest calls to read, optionally for one pair only. */
export interface SampledTime extends TimeRange {
  readonly pair: { readonly model: string; readonly provider: string } | null;
  readonly limit: number;
}

interface SampleScope {
  readonly organizationId: string | null;
  readonly teamIds: readonly string[] | null;
  readonly time: TimeRange;
  readonly shownFromMs: number;
}

const SAMPLED_OF_A_PAIR = 1_000;
const LATEST_FAILURES = 2_000;

/**
 * Samples the latest calls in these time ranges for each pair. Reads no more rows than the limits, regardless of
 * volume.
 */
export async function readSample(
  transaction: TenantTransaction,
  scope: SampleScope,
  times: readonly SampledTime[],
): Promise<CallSample[]> {
  if (times.length === 0) return [];
  const median = (value: RawBuilder<unknown>) => sql`percentile_cont(0.5) within group (order by ${value})`;
  const { rows } = await sql<CallSample>`
    select model_group as model, call_provider as provider, ${median(sql`answered_ms`)} as "firstTokenMs",
           (sum(output_tokens) filter (where writing_ms > 0) * 1000.0 / sum(writing_ms) filter (where writing_ms > 0))::float8
             as "outputTokensPerSecond",
           ${median(sql`gateway_before_us`)} / 1000 as "gatewayBeforeMs", ${median(sql`queue_us`)} / 1000 as "queueMs",
           ${median(sql`failed_us`)} / 1000 as "failedMs", ${median(sql`wait_us`)} / 1000 as "waitMs",
           ${median(sql`generation_us`)} / 1000 as "generationMs", ${median(sql`gateway_after_us`)} / 1000 as "gatewayAfterMs"
      from (${latestOf(scope, times)}) as latest
     where place <= ${SAMPLED_OF_A_PAIR}
     group by 1, 2`.execute(transaction);
  return rows;
}

/** Selects successful calls with their rank within their pair. */
function latestOf(scope: SampleScope, times: readonly SampledTime[]): RawBuilder<unknown> {
  const sentUs = sql`(gateway_before_us + queue_us + failed_us)`;
  const endedUs = sql`greatest(${sentUs}, latency_ms * 1000::bigint - gateway_after_us)`;
  const answeredUs = sql`least(${endedUs}, greatest(${sentUs}, first_token_ms * 1000::bigint))`;
  return sql`
    select model_group, call_provider, output_tokens, gateway_before_us, queue_us, failed_us, gateway_after_us,
           first_token_ms as answered_ms, ${answeredUs} - ${sentUs} as wait_us, ${endedUs} - ${answeredUs} as generation_us,
           -- An answer that comes whole was written all the time.
           case when output_tokens > 0 then latency_ms - case when is_stream then first_token_ms else 0 end end as writing_ms,
           row_number() over (partition by model_group, call_provider order by id desc) as place
      from (${walk(scope, times)}) as walked
     where status = 'success' and first_token_ms is not null`;
}

/**
 * Selects the latest calls in each time range through its day's index. The limit applies before all conditions except
 * the scope, so that it bounds the number of rows read.
 */
function walk({ organizationId, teamIds }: SampleScope, times: readonly SampledTime[]): RawBuilder<unknown> {
  const days = times.map(({ fromMs }) => dayOf(fromMs)).toSorted();
  const organization = organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`;
  const isSeen = teamIds === null ? sql`true` : sql`team_id = any (${teamIds}::text[])`;
  return sql`
    select newest.* from unnest(${times.map(({ fromMs }) => dayOf(fromMs))}::date[],
        ${times.map(({ fromMs }) => firstIdAt(fromMs))}::uuid[], ${times.map(({ toMs }) => firstIdAt(toMs))}::uuid[],
        ${times.map(({ pair }) => pair?.model ?? null)}::text[], ${times.map(({ pair }) => pair?.provider ?? null)}::text[],
        ${times.map(({ limit }) => limit)}::integer[]) as time (day, first_id, end_id, model, provider, most)
     cross join lateral (
       select id, team_id, model_group, coalesce(provider, '') as call_provider, status, is_stream, output_tokens,
              latency_ms, first_token_ms, gateway_before_us, queue_us, failed_us, gateway_after_us
         from usage_events
        where ${organization} and day = time.day and day between ${days[0]}::date and ${days.at(-1)}::date
          and id >= time.first_id and id < time.end_id
        order by id desc limit time.most
     ) as newest
     where ${isSeen} and (time.model is null or (model_group = time.model and call_provider = time.provider))`;
}

/** Returns the latest failed request of each pair, among the latest failures overall. Leaves out rejected requests. */
export async function readLastFailures(transaction: TenantTransaction, scope: SampleScope): Promise<LastFailure[]> {
  const { organizationId, teamIds, time, shownFromMs } = scope;
  const fromMs = Math.max(time.fromMs, shownFromMs);
  const organization = organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`;
  const isSeen = teamIds === null ? sql`true` : sql`team_id = any (${teamIds}::text[])`;
  const { rows } = await sql<LastFailure>`
    select distinct on (model, provider) model, provider, time_of_event(id) as at, http_status as "httpStatus",
           error_code as "errorCode"
      from (
        select id, team_id, model_group as model, coalesce(provider, '') as provider, http_status, error_code
          from usage_events
         where ${organization} and status = 'failure' and day between ${dayOf(fromMs)}::date and ${dayOf(time.toMs)}::date
           and id >= ${firstIdAt(fromMs)}::uuid and id < ${firstIdAt(time.toMs)}::uuid
         order by id desc limit ${LATEST_FAILURES}
      ) as latest
     where ${isSeen} and http_status <> all (${REJECTED_STATUSES}::smallint[])
     order by model, provider, id desc`.execute(transaction);
  return rows;
}
