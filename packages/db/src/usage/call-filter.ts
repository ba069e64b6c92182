import { REJECTED_STATUSES, REQUEST_CLASSES, type RequestClass } from "@tollgate/domain/figures/request-class.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import { containing } from "../like-pattern.ts";

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
  readonly classes: readonly RequestClass[] | null;
  readonly endpoints: readonly string[] | null;
  readonly userIds: readonly string[] | null;
  readonly requestIds: readonly string[] | null;
  readonly session: string | null;
  readonly minCost: NanoUsd | null;
  readonly errorCodes: readonly string[] | null;
  readonly deploymentIds: readonly string[] | null;
  readonly isStream: boolean | null;
  /** True for requests that the response cache answered. */
  readonly isCached: boolean | null;
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
  classes: null,
  endpoints: null,
  userIds: null,
  requestIds: null,
  session: null,
  minCost: null,
  errorCodes: null,
  deploymentIds: null,
  isStream: null,
  isCached: null,
  minLatencyMs: null,
  search: null,
};

export const QUARTER_MS = 15 * 60_000;

/** SQL expressions over a row of rollups, one for each class. */
type ClassSums = Readonly<Record<RequestClass, RawBuilder<bigint>>>;

const nothing = sql<bigint>`0::bigint`;

/** The classes of settled requests in a rollup row. */
const settledSums: ClassSums = {
  succeeded: sql`(requests - errors - canceled)`,
  failed: sql`(errors - rejected)`,
  refused: nothing,
  rejected: sql`rejected`,
  canceled: sql`canceled`,
};

/** The classes of requests without a usage event in a row of `refused_rollups`. */
const unsettledSums: ClassSums = {
  succeeded: nothing,
  failed: sql`failed`,
  refused: sql`(requests - failed - rejected - canceled)`,
  rejected: sql`rejected`,
  canceled: sql`canceled`,
};

/** The requests of each class that have no row of their own, because another row stands for them. */
const unloggedSums: ClassSums = {
  succeeded: nothing,
  failed: sql`unlogged_failed`,
  refused: sql`(unlogged - unlogged_failed - unlogged_rejected - unlogged_canceled)`,
  rejected: sql`unlogged_rejected`,
  canceled: sql`unlogged_canceled`,
};

/** SQL expression for the class of a settled request, with the rule of `classOfSettled`. */
export const settledClass = sql<RequestClass>`case status when 'success' then 'succeeded'
  when 'client_disconnect' then 'canceled'
  else case when http_status = any (${REJECTED_STATUSES}::smallint[]) then 'rejected' else 'failed' end end`;

/** The way in which the rollups count matching requests. */
interface Counting {
  /** True if the rollups have every condition of the filter, so that they count matching requests. */
  readonly isExact: boolean;
  /** True if they also count matching rows. Rollups from before the classes tell only failures from other outcomes. */
  readonly countsRows: boolean;
  /** Number of settled calls in a rollup row that can match. */
  readonly settledRows: RawBuilder<bigint>;
  /** Number of settled calls in a rollup row that match. Each has a row of its own. */
  readonly settledMatches: RawBuilder<bigint>;
  /** Number of rows of matching requests without a usage event. */
  readonly unsettledRows: RawBuilder<bigint>;
  /** Number of matching requests by class, as columns named by class. */
  readonly settledCounts: RawBuilder<unknown>;
  readonly unsettledCounts: RawBuilder<unknown>;
  readonly countsSettled: boolean;
  readonly countsUnsettled: boolean;
}

export function countingOf(filter: CallFilter): Counting {
  const has = (name: RequestClass) => filter.classes === null || filter.classes.includes(name);
  const [delivers, fails] = [has("succeeded") || has("canceled"), has("failed") || has("rejected")];
  const columns = (sums: ClassSums) =>
    sql.join(REQUEST_CLASSES.map((name) => sql`${has(name) ? sums[name] : nothing} as ${sql.ref(name)}`));
  const rowsOf = (name: RequestClass) => (has(name) ? sql`${unsettledSums[name]} - ${unloggedSums[name]}` : nothing);
  const isExact = !asksRows(filter);
  return {
    isExact,
    countsRows: isExact && has("succeeded") === has("canceled") && has("failed") === has("rejected"),
    settledRows: !fails ? sql`(requests - errors)` : delivers ? sql`requests` : sql`errors`,
    settledMatches: sql`(${sql.join(
      REQUEST_CLASSES.map((name) => (has(name) ? settledSums[name] : nothing)),
      sql` + `,
    )})`,
    unsettledRows: sql`(${sql.join(REQUEST_CLASSES.map(rowsOf), sql` + `)})`,
    settledCounts: columns(settledSums),
    unsettledCounts: columns(unsettledSums),
    countsSettled: delivers || fails,
    countsUnsettled:
      filter.classes?.every((name) => name === "succeeded") !== true &&
      filter.providers === null &&
      filter.deploymentIds === null &&
      filter.isCached !== true &&
      (filter.minCost ?? 0n) <= 0n &&
      (filter.minLatencyMs ?? 0) <= 0,
  };
}

/**
 * Reports whether the filter needs the call rows, because the rollups have only teams, keys, models, providers, and
 * classes.
 */
function asksRows(filter: CallFilter): boolean {
  const { endpoints, userIds, requestIds, session, minCost, errorCodes, deploymentIds, minLatencyMs, search } = filter;
  const asked = [endpoints, userIds, requestIds, session, minCost, errorCodes, deploymentIds, minLatencyMs, search];
  const { ids, isCached, isStream } = filter;
  return ids !== undefined || isCached !== null || isStream !== null || asked.some((value) => value !== null);
}

/** Reports whether an index finds the matching rows without scanning other rows. */
export function isIndexed(filter: CallFilter): boolean {
  return filter.errorCodes !== null || filter.session !== null || filter.ids !== undefined;
}

/** Reports whether the filter has conditions other than the organization and the time range. */
export function isNarrowed(filter: CallFilter): boolean {
  const { teamIds, keyIds, models, providers, classes } = filter;
  return asksRows(filter) || [teamIds, keyIds, models, providers, classes].some((list) => list !== null);
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

/** Like `whereSums`, for the rollups of requests without a usage event, which have no provider and no cost. */
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
  return allOf([
    ...rowConditions(filter),
    anyOf("provider", filter.providers),
    filter.classes === null ? null : ofClasses(filter.classes),
    filter.minCost === null ? null : sql`cost >= ${filter.minCost}`,
    anyOf("deployment_id", filter.deploymentIds),
    filter.minLatencyMs === null ? null : sql`latency_ms >= ${filter.minLatencyMs}`,
    // A request that succeeded without calling an upstream was answered from the cache.
    filter.isCached === null ? null : sql`(attempts = 0 and status = 'success') = ${filter.isCached}`,
  ]);
}

/** Restricts rows of requests without a usage event. */
export function whereRefused(filter: CallFilter): RawBuilder<boolean> {
  return allOf([...rowConditions(filter), anyOf("class", filter.classes)]);
}

/** Restricts rows of settled calls to classes. The first condition of each is on the status, which has an index. */
function ofClasses(classes: readonly RequestClass[]): RawBuilder<boolean> {
  const rejected = sql<boolean>`http_status = any (${REJECTED_STATUSES}::smallint[])`;
  const [fails, rejects] = [classes.includes("failed"), classes.includes("rejected")];
  const conditions = [
    classes.includes("succeeded") ? sql<boolean>`status = 'success'` : null,
    classes.includes("canceled") ? sql<boolean>`status = 'client_disconnect'` : null,
    fails && rejects ? sql<boolean>`status = 'failure'` : null,
    fails && !rejects ? sql<boolean>`(status = 'failure' and not (${rejected}))` : null,
    rejects && !fails ? sql<boolean>`(status = 'failure' and ${rejected})` : null,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
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
    filter.session === null ? null : sql`session = ${filter.session}`,
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
