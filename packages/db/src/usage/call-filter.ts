import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import { containing } from "../like-pattern.ts";

export type CallStatus = "success" | "error" | "cancelled" | "refused";

/** Filter for calls. A null list matches all calls, and an empty list matches no calls. */
export interface CallFilter {
  /** Null to match every organization, on connections that see all organizations. */
  readonly organizationId: string | null;
  /** Start of the time range, inclusive. */
  readonly from: Date;
  /** End of the time range, exclusive. */
  readonly to: Date;
  readonly teamIds: readonly string[] | null;
  readonly keyIds: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly providers: readonly string[] | null;
  readonly statuses: readonly CallStatus[] | null;
  readonly endpoints: readonly string[] | null;
  readonly userIds: readonly string[] | null;
  readonly requestIds: readonly string[] | null;
  readonly minCost: NanoUsd | null;
  readonly errorCodes: readonly string[] | null;
  readonly deploymentIds: readonly string[] | null;
  readonly isStream: boolean | null;
  readonly minLatencyMs: number | null;
  /** Prefix of a request ID, or part of an error code. */
  readonly search: string | null;
  /** Restricts the result to these calls. */
  readonly ids?: readonly string[];
}

/** Matches every call. */
export const everyCall: Omit<CallFilter, "organizationId" | "from" | "to"> = {
  teamIds: null,
  keyIds: null,
  models: null,
  providers: null,
  statuses: null,
  endpoints: null,
  userIds: null,
  requestIds: null,
  minCost: null,
  errorCodes: null,
  deploymentIds: null,
  isStream: null,
  minLatencyMs: null,
  search: null,
};

export const QUARTER_MS = 15 * 60_000;

const storedStatuses = { success: "success", error: "failure", cancelled: "client_disconnect" } as const;

/** The way in which the rollups count matching calls: exactly, or as an upper bound. */
interface Counting {
  readonly isExact: boolean;
  /** Number of settled calls in a rollup row. */
  readonly settled: RawBuilder<bigint>;
  readonly countsSettled: boolean;
  readonly countsRefused: boolean;
}

export function countingOf(filter: CallFilter): Counting {
  const has = (status: CallStatus) => filter.statuses === null || filter.statuses.includes(status);
  const [success, error, cancelled] = [has("success"), has("error"), has("cancelled")];
  return {
    // The rollups distinguish only failures from other outcomes.
    isExact: !asksRows(filter) && success === cancelled,
    settled: !error ? sql`(requests - errors)` : success || cancelled ? sql`requests` : sql`errors`,
    countsSettled: success || error || cancelled,
    countsRefused:
      has("refused") &&
      filter.providers === null &&
      filter.deploymentIds === null &&
      (filter.minCost ?? 0n) <= 0n &&
      (filter.minLatencyMs ?? 0) <= 0,
  };
}

/**
 * Reports whether the filter needs the call rows, because the rollups have only teams, keys, models, providers, and
 * failures.
 */
function asksRows(filter: CallFilter): boolean {
  const { endpoints, userIds, requestIds, minCost, errorCodes, deploymentIds, isStream, minLatencyMs, search } = filter;
  const asked = [endpoints, userIds, requestIds, minCost, errorCodes, deploymentIds, isStream, minLatencyMs, search];
  return filter.ids !== undefined || asked.some((value) => value !== null);
}

/** Reports whether an index finds the matching rows without scanning other rows. */
export function isIndexed(filter: CallFilter): boolean {
  return filter.errorCodes !== null || filter.ids !== undefined;
}

/** Reports whether the filter has conditions other than the organization and the time range. */
export function isNarrowed(filter: CallFilter): boolean {
  const { teamIds, keyIds, models, providers, statuses } = filter;
  return asksRows(filter) || [teamIds, keyIds, models, providers, statuses].some((list) => list !== null);
}

/** Restricts rollup rows to those that can contain a matching call. */
export function whereSums(filter: CallFilter): RawBuilder<boolean> {
  return allOf([
    ofOrganization(filter),
    anyOf("team_id", filter.teamIds),
    anyOf("key_id", filter.keyIds),
    anyOf("model_group", filter.models),
    anyOf("provider", filter.providers),
    filter.minCost === null ? null : sql`max_cost >= ${filter.minCost}`,
    filter.minLatencyMs === null ? null : sql`max_latency_ms >= ${filter.minLatencyMs}`,
  ]);
}

/** Like `whereSums`, for the rollups of refused calls, which have no provider and no cost. */
export function whereRefusedSums(filter: CallFilter): RawBuilder<boolean> {
  return allOf([
    ofOrganization(filter),
    anyOf("team_id", filter.teamIds),
    anyOf("key_id", filter.keyIds),
    anyOf("model_group", filter.models),
  ]);
}

/** Restricts rows of settled calls. */
export function whereSettled(filter: CallFilter): RawBuilder<boolean> {
  const statuses = filter.statuses?.flatMap((status) => (status === "refused" ? [] : [storedStatuses[status]])) ?? null;
  return allOf([
    ...rowConditions(filter),
    anyOf("provider", filter.providers),
    anyOf("status", statuses),
    filter.minCost === null ? null : sql`cost >= ${filter.minCost}`,
    anyOf("deployment_id", filter.deploymentIds),
    filter.minLatencyMs === null ? null : sql`latency_ms >= ${filter.minLatencyMs}`,
  ]);
}

/** Restricts rows of refused calls. */
export function whereRefused(filter: CallFilter): RawBuilder<boolean> {
  return allOf(rowConditions(filter));
}

function rowConditions(filter: CallFilter): (RawBuilder<boolean> | null)[] {
  return [
    ofOrganization(filter),
    anyOf("team_id", filter.teamIds),
    anyOf("key_id", filter.keyIds),
    anyOf("model_group", filter.models),
    anyOf("endpoint", filter.endpoints),
    anyOf("user_id", filter.userIds),
    anyOf("request_id", filter.requestIds),
    // The statement's join supplies one code at a time, because the index returns calls in order only for a single
    // code.
    filter.errorCodes === null ? null : sql`error_code = code.code`,
    filter.isStream === null ? null : sql`is_stream = ${filter.isStream}`,
    filter.search === null ? null : searched(filter.search),
    filter.ids === undefined ? null : sql`id = any (${[...filter.ids]}::uuid[])`,
  ];
}

function ofOrganization({ organizationId }: CallFilter): RawBuilder<boolean> {
  return organizationId === null ? sql`organization_id is not null` : sql`organization_id = ${organizationId}`;
}

function searched(text: string): RawBuilder<boolean> {
  return sql`(starts_with(request_id, ${text}) or error_code ilike ${containing(text)})`;
}

function anyOf(column: string, values: readonly string[] | null): RawBuilder<boolean> | null {
  if (values === null) return null;
  return values.length === 1
    ? sql`${sql.ref(column)} = ${values[0]}`
    : sql`${sql.ref(column)} = any (${[...values]}::text[])`;
}

function allOf(conditions: readonly (RawBuilder<boolean> | null)[]): RawBuilder<boolean> {
  return sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  );
}
