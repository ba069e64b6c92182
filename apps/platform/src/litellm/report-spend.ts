import { Failure } from "@tollgate/contracts/failures.ts";
import { findManagedKey } from "@tollgate/db/keys/managed-keys.ts";
import { type CallFilter, everyCall } from "@tollgate/db/usage/call-filter.ts";
import { listCalls } from "@tollgate/db/usage/list-calls.ts";
import { type CallRow, timeOfId } from "@tollgate/db/usage/read-calls.ts";
import { beginReport, beginWideReport, findKeysOf } from "@tollgate/db/usage/report-scope.ts";
import { findKeyNames, findTeamNames, type NamedKey } from "@tollgate/db/usage/spend-names.ts";
import { sumUsage, type UsageSums } from "@tollgate/db/usage/sum-usage.ts";
import { hideOlder, toQuarters } from "../usage/report-range.ts";
import type { Paged, PageParams } from "./page-headers.ts";
import { absent, type OwnerContext, visibleTeams } from "./run-as-key-creator.ts";
import type { SpendFilter } from "./spend-range.ts";

/** A call as recorded in the ledger. */
export interface SpentCall extends Omit<CallRow, "reasoningTokens"> {
  readonly keyHash: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly startedAtMs: number;
}

/** Totals for one day, team, key, and model. */
export interface SpentDay extends UsageSums {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
}

/** Names of the teams and keys that totals refer to by ID. */
export interface SpendNames {
  readonly teams: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, NamedKey>;
}

const MAX_GROUPS = 20_000;
const newestFirst = { by: "time", isDescending: true } as const;

/** Returns one page of the calls visible to the manager, newest first. */
export async function listSpend(
  acting: OwnerContext,
  wanted: SpendFilter,
  { page, pageSize }: PageParams,
): Promise<Paged<SpentCall>> {
  const { transaction } = acting;
  const found = await filterOf(acting, wanted);
  if (found === null) return { items: [], total: 0 };
  const filter = { ...found, ...(await hideRetired(acting, found)) };
  const skip = (page - 1) * pageSize;
  const calls = await listCalls(transaction, filter, {
    ...{ order: newestFirst, after: null, skip, limit: pageSize },
    marks: [filter.from.getTime()],
  });
  if (calls.kind !== "page") throw new Error("requests sorted by time cannot exceed the sort limit");
  const keys = await findKeyNames(transaction, [...new Set(calls.rows.map(({ keyId }) => keyId))]);
  const items = calls.rows.map((row) => ({
    ...row,
    keyHash: keys.get(row.keyId)?.hash ?? null,
    promptTokens: Number(row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens),
    completionTokens: Number(row.outputTokens),
    cachedTokens: Number(row.cacheReadTokens),
    reasoningTokens: Number(row.reasoningTokens),
    startedAtMs: timeOfId(row.id),
  }));
  return { items, total: calls.counted.rows };
}

/** Sums the calls visible to the manager by day, team, key, model, and provider. */
export async function sumSpend(
  acting: OwnerContext,
  wanted: SpendFilter,
): Promise<{ readonly days: readonly SpentDay[]; readonly names: SpendNames }> {
  const { transaction } = acting;
  const filter = await filterOf(acting, { ...wanted, ...toQuarters(wanted) });
  if (filter === null) return { days: [], names: { teams: new Map(), keys: new Map() } };
  await beginWideReport(transaction);
  const summary = await sumUsage(transaction, filter, {
    groupings: ["day", "team", "apiKey", "model", "provider"],
    timezone: "UTC",
    mostGroups: MAX_GROUPS,
  });
  if (summary.kind !== "summary") {
    throw new Failure("invalid_request", `The report has more than ${MAX_GROUPS} rows. Narrow the dates or filters.`, {
      param: "start_date",
    });
  }
  const days = summary.groups.map(({ group: [day, teamId, keyId, model, provider], ...sums }) => ({
    day: day ?? "",
    teamId: teamId ?? "",
    keyId: keyId ?? "",
    model: model ?? "",
    provider: provider ?? "",
    ...sums,
  }));
  return {
    days,
    names: {
      teams: await findTeamNames(transaction, [...new Set(days.map(({ teamId }) => teamId))]),
      keys: await findKeyNames(transaction, [...new Set(days.map(({ keyId }) => keyId))]),
    },
  };
}

/** Limits the time range to the organization's retention period. */
async function hideRetired(
  { transaction, retentionDays, now }: OwnerContext,
  { organizationId, from, to }: CallFilter,
): Promise<Pick<CallFilter, "from" | "to">> {
  if (organizationId === null) {
    await beginWideReport(transaction);
    return hideOlder({ from, to }, retentionDays, now);
  }
  const shown = await beginReport(transaction, organizationId);
  return hideOlder({ from, to }, Math.min(shown?.retentionDays ?? 0, retentionDays), now);
}

/** Returns a filter for the requested calls that the manager can see; null if the manager can see none of them. */
async function filterOf(acting: OwnerContext, wanted: SpendFilter): Promise<CallFilter | null> {
  const { member } = acting;
  if (member !== null && wanted.organizationId !== null && wanted.organizationId !== member.organizationId) return null;
  const organizationId = member?.organizationId ?? wanted.organizationId;
  const visible = visibleTeams(acting);
  const teamIds = wanted.teamIds === null ? visible : wanted.teamIds.filter((id) => visible?.includes(id) ?? true);
  const keyIds = await readKeys(acting, wanted, organizationId);
  if (teamIds?.length === 0 || keyIds?.length === 0) return null;
  return {
    ...everyCall,
    organizationId,
    from: wanted.from,
    to: wanted.to,
    teamIds,
    keyIds,
    models: wanted.models,
    requestIds: wanted.requestId === null ? null : [wanted.requestId],
  };
}

/** Returns the keys to filter by. A user's calls are the calls with keys that the user created. */
async function readKeys(
  { transaction, now }: OwnerContext,
  { key: name, userId }: SpendFilter,
  organizationId: string | null,
): Promise<readonly string[] | null> {
  const made = userId === null ? null : await findKeysOf(transaction, organizationId, [userId]);
  if (name === null) return made;
  const filter = { organizationId, teamIds: null, userId: null, name: null, key: name, includesRevoked: true };
  const key = await findManagedKey(transaction, filter, now);
  if (key === null) throw absent("key");
  return made === null || made.includes(key.id) ? [key.id] : [];
}
