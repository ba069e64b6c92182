import type { CallTimes } from "@tollgate/domain/credit/call-times.ts";
import type { RequestClass } from "@tollgate/domain/figures/request-class.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, settledClass, whereRefused, whereSettled } from "./call-filter.ts";
import type { Measure } from "./count-calls.ts";
import { DAY_MS, dayOf, joinAdjacent, startOf, type TimeRange } from "./sum-parts.ts";

/** A settled call, or a request that ended before it had an account. */
export interface CallRow extends CallTimes {
  readonly id: string;
  readonly requestId: string;
  readonly organizationId: string;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly keyId: string;
  readonly keyName: string | null;
  readonly model: string;
  readonly provider: string | null;
  readonly deploymentId: string | null;
  readonly endpoint: string;
  readonly isStream: boolean;
  readonly class: RequestClass;
  /** Number of requests that this row stands for. Above one only if it is a sample of many like it. */
  readonly weight: number;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  /** Model as the client named it, if it is not the model group. */
  readonly requestedModel: string | null;
  /** The invalid request field. */
  readonly param: string | null;
  /** Details of a refusal at the time of the call. */
  readonly facts: Readonly<Record<string, unknown>> | null;
  readonly inputTokens: bigint;
  readonly cacheReadTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly outputTokens: bigint;
  readonly reasoningTokens: bigint;
  readonly tokens: bigint;
  readonly images: bigint;
  readonly audioMs: bigint;
  readonly usageSource: "reported" | "estimated";
  readonly cost: NanoUsd;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  readonly attempts: number;
  readonly fallbackFrom: string | null;
  readonly endUser: string | null;
  /** Session that the client named; null without one. */
  readonly session: string | null;
  readonly userId: string | null;
  /** Null without a usage event. */
  readonly state: "settled" | "void" | null;
  readonly settledAt: Date | null;
  readonly transactionId: string | null;
}

/** Sort order of a list. Ties are sorted by time in the same direction. */
export interface CallOrder {
  readonly by: "time" | Measure;
  readonly isDescending: boolean;
}

/** The last call on a page. The next page starts after this call. */
export interface CallPosition {
  readonly id: string;
  /** Value of the measure; zero if sorted by time. */
  readonly value: bigint;
}

interface CallWindow {
  readonly order: CallOrder;
  readonly after: CallPosition | null;
  readonly skip: number;
  readonly limit: number;
}

const settledColumns = sql`
  id, request_id, organization_id, team_id, key_id, model_group, provider, deployment_id, endpoint, is_stream,
  ${settledClass} as class, 1 as weight, http_status, error_code, null as requested_model, null as param,
  null::jsonb as facts, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
  input_tokens + cache_read_tokens + cache_write_tokens + output_tokens as tokens, usage_source, cost, latency_ms,
  first_token_ms, state, settled_at, transaction_id, images, audio_ms, attempts, fallback_from, end_user,
  session, user_id, gateway_before_us, queue_us, failed_us, gateway_after_us`;

const refusedColumns = sql`
  id, request_id, organization_id, team_id, key_id, model_group, null as provider, null as deployment_id, endpoint,
  is_stream, class, weight, http_status, error_code, requested_model, param, facts, 0::bigint as input_tokens, 0::bigint as cache_read_tokens,
  0::bigint as cache_write_tokens, 0::bigint as output_tokens, 0::bigint as reasoning_tokens, 0::bigint as tokens,
  'reported' as usage_source, 0::bigint as cost, 0 as latency_ms, null::integer as first_token_ms, null as state,
  null::timestamptz as settled_at, null as transaction_id, 0::bigint as images, 0::bigint as audio_ms, 0 as attempts,
  null as fallback_from, null as end_user, session, user_id, null::integer as gateway_before_us, null::integer as queue_us,
  null::integer as failed_us, null::integer as gateway_after_us`;

const wireColumns = sql`
  call.id, request_id as "requestId", call.organization_id as "organizationId", call.team_id as "teamId",
  team.name as "teamName",
  key_id as "keyId", key.name as "keyName", model_group as model, provider, deployment_id as "deploymentId", endpoint,
  is_stream as "isStream", call.class, weight, http_status as "httpStatus", error_code as "errorCode",
  requested_model as "requestedModel", param, facts,
  input_tokens as "inputTokens", cache_read_tokens as "cacheReadTokens", cache_write_tokens as "cacheWriteTokens",
  output_tokens as "outputTokens", reasoning_tokens as "reasoningTokens", tokens, usage_source as "usageSource", cost,
  latency_ms as "latencyMs", first_token_ms as "firstTokenMs", state, settled_at as "settledAt",
  transaction_id as "transactionId", images, audio_ms as "audioMs", attempts, fallback_from as "fallbackFrom",
  end_user as "endUser", session, call.user_id as "userId", gateway_before_us as "gatewayBeforeUs", queue_us as "queueUs", failed_us as "failedUs",
  gateway_after_us as "gatewayAfterUs"`;

/**
 * Reads the matching calls in these time ranges, in order. Each range is read in index order and only as far as needed.
 */
export async function readCalls(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly TimeRange[],
  window: CallWindow,
): Promise<CallRow[]> {
  const { order, skip, limit } = window;
  const parts = callsOf(filter, ranges, window);
  if (parts === null) return [];
  const { rows } = await sql<CallRow>`
    select ${wireColumns}
      from (select * from (${parts}) as found order by ${sortOf(order)} offset ${skip} limit ${limit}) as call
      left join api_keys as key on key.id = call.key_id
      left join teams as team on team.id = call.team_id
     order by ${sortOf(order)}`.execute(transaction);
  return rows;
}

/** Counts the rows of matching calls in these time ranges, up to a limit. */
export async function countRows(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly TimeRange[],
  limit: number,
): Promise<number> {
  const order: CallOrder = { by: "time", isDescending: true };
  const parts = callsOf(filter, ranges, { order, after: null, skip: 0, limit }, { settled: sql`id`, refused: sql`id` });
  if (parts === null) return 0;
  const { rows } = await sql<{ calls: number }>`
    select count(*)::float8 as calls from (select from (${parts}) as found limit ${limit}) as counted`.execute(
    transaction,
  );
  return rows[0]?.calls ?? 0;
}

/** The matching calls of one class that were made after one mark and before the next. */
interface RowCount {
  /** Number of the mark, starting with one. */
  readonly bar: number;
  readonly class: RequestClass;
  readonly requests: number;
  readonly rows: number;
}

/** Counts the matching calls in these time ranges by class and mark, the latest first, up to a limit. */
export async function countRowsByClass(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly TimeRange[],
  marks: readonly number[],
  limit: number,
): Promise<readonly RowCount[]> {
  const order: CallOrder = { by: "time", isDescending: true };
  const parts = callsOf(
    filter,
    ranges,
    { order, after: null, skip: 0, limit },
    { settled: sql`id, ${settledClass} as class, 1 as weight`, refused: sql`id, class, weight` },
  );
  if (parts === null) return [];
  const starts = marks.map((atMs) => firstIdAt(atMs));
  const { rows } = await sql<RowCount>`
    select width_bucket(id, ${starts}::uuid[]) as bar, class, sum(weight)::float8 as requests, count(*)::float8 as rows
      from (select * from (${parts}) as found order by id desc limit ${limit}) as counted
     group by 1, 2`.execute(transaction);
  return rows;
}

/** Returns the smallest possible ID of a call at the given time. */
export function firstIdAt(atMs: number): string {
  const hex = atMs.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns the timestamp in a call's ID, in Unix milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Columns to select from rows of settled calls, and from rows of requests without a usage event. */
interface CallColumns {
  readonly settled: RawBuilder<unknown>;
  readonly refused: RawBuilder<unknown>;
}

function callsOf(
  filter: CallFilter,
  ranges: readonly TimeRange[],
  window: CallWindow,
  columns: CallColumns = { settled: settledColumns, refused: refusedColumns },
): RawBuilder<unknown> | null {
  const { countsSettled, countsUnsettled } = countingOf(filter);
  const parts: RawBuilder<unknown>[] = [];
  const times = daysOf(ranges);
  const sort = sortOf(window.order);
  const upTo = window.skip + window.limit;
  if (times.length > 0 && countsSettled) {
    const where = sql`${whereSettled(filter)} ${afterOf(window, settledMeasures)}`;
    parts.push(sql`
      select found.* from ${timesOf(times)} ${codesOf(filter)} cross join lateral (
        select ${columns.settled} from usage_events
         where ${where} and day = time.day and ${daysBetween(times)} and id >= time.first_id and id < time.end_id
         order by ${sort} limit ${upTo}
      ) as found`);
  }
  if (times.length > 0 && countsUnsettled) {
    const where = sql`${whereRefused(filter)} ${afterOf(window, refusedMeasures)}`;
    parts.push(sql`
      select found.* from ${timesOf(times)} ${codesOf(filter)} cross join lateral (
        select ${columns.refused} from refused_calls
         where ${where} and id >= time.first_id and id < time.end_id
         order by ${sort} limit ${upTo}
      ) as found`);
  }
  return parts.length === 0 ? null : sql.join(parts, sql` union all `);
}

const settledMeasures = {
  cost: sql`cost`,
  latency_ms: sql`latency_ms`,
  tokens: sql`(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens)`,
};
const refusedMeasures = { cost: sql`0`, latency_ms: sql`0`, tokens: sql`0` };

function afterOf({ order, after }: CallWindow, measures: Record<Measure, RawBuilder<unknown>>): RawBuilder<unknown> {
  if (after === null) return sql``;
  const beyond = sql.raw(order.isDescending ? "<" : ">");
  if (order.by === "time") return sql`and id ${beyond} ${after.id}::uuid`;
  return sql`and (${measures[order.by]}, id) ${beyond} (${after.value}::bigint, ${after.id}::uuid)`;
}

function sortOf({ by, isDescending }: CallOrder): RawBuilder<unknown> {
  const direction = sql.raw(isDescending ? "desc" : "asc");
  return by === "time" ? sql`id ${direction}` : sql`${sql.ref(by)} ${direction}, id ${direction}`;
}

interface TimeOfDay extends TimeRange {
  readonly day: string;
}

/** Merges adjacent time ranges and splits them at midnight, so that each range lies in one partition. */
function daysOf(ranges: readonly TimeRange[]): TimeOfDay[] {
  return joinAdjacent(ranges).flatMap(({ fromMs, toMs }) => {
    const times: TimeOfDay[] = [];
    for (let atMs = fromMs; atMs < toMs; ) {
      const day = dayOf(atMs);
      const endMs = Math.min(toMs, startOf(day) + DAY_MS);
      times.push({ day, fromMs: atMs, toMs: endMs });
      atMs = endMs;
    }
    return times;
  });
}

function timesOf(times: readonly TimeOfDay[]): RawBuilder<unknown> {
  return sql`unnest(${times.map(({ day }) => day)}::date[], ${times.map(({ fromMs }) => firstIdAt(fromMs))}::uuid[],
    ${times.map(({ toMs }) => firstIdAt(toMs))}::uuid[]) as time (day, first_id, end_id)`;
}

/** Returns the join with the requested error codes, if any. */
function codesOf({ errorCodes }: CallFilter): RawBuilder<unknown> {
  return errorCodes === null ? sql`` : sql`cross join unnest(${[...new Set(errorCodes)]}::text[]) as code (code)`;
}

/**
 * Returns a condition on the days, because the planner prunes partitions only by conditions that are known at plan
 * time.
 */
function daysBetween(times: readonly TimeOfDay[]): RawBuilder<unknown> {
  return sql`day between ${times[0]?.day}::date and ${times.at(-1)?.day}::date`;
}
