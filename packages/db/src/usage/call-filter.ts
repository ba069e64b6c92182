import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";

export type CallStatus = "success" | "error" | "cancelled" | "refused";

/** Which calls are meant. Where a list is null, everything is; an empty one means nothing. */
export interface CallFilter {
  readonly organizationId: string;
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
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
  /** This one call, if it is among them. */
  readonly id?: string;
}

export const QUARTER_MS = 15 * 60_000;

const storedStatuses = { success: "success", error: "failure", cancelled: "client_disconnect" } as const;

/** What the fifteen-minute sums say of the calls that match: as many as that, or at most so many. */
export interface Counting {
  readonly isExact: boolean;
  /** Of a row of sums. */
  readonly settled: RawBuilder<bigint>;
  readonly countsSettled: boolean;
  readonly countsRefused: boolean;
}

export function countingOf(filter: CallFilter): Counting {
  const has = (status: CallStatus) => filter.statuses === null || filter.statuses.includes(status);
  const [success, error, cancelled] = [has("success"), has("error"), has("cancelled")];
  const others = filter.endpoints ?? filter.userIds ?? filter.requestIds ?? filter.minCost;
  return {
    // The sums tell failures from other ends, and nothing more.
    isExact: others === null && success === cancelled,
    settled: !error ? sql`(requests - errors)` : success || cancelled ? sql`requests` : sql`errors`,
    countsSettled: success || error || cancelled,
    countsRefused: has("refused") && filter.providers === null && (filter.minCost ?? 0n) <= 0n,
  };
}

/** Whether less is asked for than everything an organization has in that time. */
export function isNarrowed(filter: CallFilter): boolean {
  const { teamIds, keyIds, models, providers, statuses, endpoints, userIds, requestIds, minCost } = filter;
  const lists = [teamIds, keyIds, models, providers, statuses, endpoints, userIds, requestIds];
  return minCost !== null || lists.some((list) => list !== null);
}

/** Limits rows of sums to those that can contain a matching call. */
export function whereSums(filter: CallFilter): RawBuilder<boolean> {
  return allOf([
    sql`organization_id = ${filter.organizationId}`,
    anyOf("team_id", filter.teamIds),
    anyOf("key_id", filter.keyIds),
    anyOf("model_group", filter.models),
    anyOf("provider", filter.providers),
    filter.minCost === null ? null : sql`max_cost >= ${filter.minCost}`,
  ]);
}

/** The same for the sums of refused calls, which have no provider and cost nothing. */
export function whereRefusedSums(filter: CallFilter): RawBuilder<boolean> {
  return allOf([
    sql`organization_id = ${filter.organizationId}`,
    anyOf("team_id", filter.teamIds),
    anyOf("key_id", filter.keyIds),
    anyOf("model_group", filter.models),
  ]);
}

/** Limits rows of settled calls. */
export function whereSettled(filter: CallFilter): RawBuilder<boolean> {
  const statuses = filter.statuses?.flatMap((status) => (status === "refused" ? [] : [storedStatuses[status]])) ?? null;
  return allOf([
    ...rowConditions(filter),
    anyOf("provider", filter.providers),
    anyOf("status", statuses),
    filter.minCost === null ? null : sql`cost >= ${filter.minCost}`,
  ]);
}

/** Limits rows of refused calls. */
export function whereRefused(filter: CallFilter): RawBuilder<boolean> {
  return allOf(rowConditions(filter));
}

function rowConditions(filter: CallFilter): (RawBuilder<boolean> | null)[] {
  return [
    sql`organization_id = ${filter.organizationId}`,
    anyOf("team_id", filter.teamIds),
    anyOf("key_id", filter.keyIds),
    anyOf("model_group", filter.models),
    anyOf("endpoint", filter.endpoints),
    anyOf("user_id", filter.userIds),
    anyOf("request_id", filter.requestIds),
    filter.id === undefined ? null : sql`id = ${filter.id}::uuid`,
  ];
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
