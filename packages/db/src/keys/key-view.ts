import { parsePeriod, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import { type RawBuilder, sql } from "kysely";
import { type BudgetState, readBudgets } from "../leases/read-budgets.ts";
import type { TenantTransaction } from "../tenancy.ts";

export type KeyStatus = "active" | "disabled" | "expired" | "revoked";

/** Reader of a key list. Organization administrators see all keys, and other members see their teams' keys. */
export interface KeyReader {
  readonly organizationId: string;
  readonly userId: number;
  readonly seesAllTeams: boolean;
  readonly now: Date;
}

/** A key as shown to users, without its secret. */
export interface KeyView extends KeyRow {
  readonly usage: KeyUsage;
  readonly budget: BudgetState | null;
}

interface KeyUsage {
  readonly total: NanoUsd;
  readonly daily: NanoUsd;
  readonly weekly: NanoUsd;
  readonly monthly: NanoUsd;
}

export interface KeyRow {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string;
  readonly creatorId: number | null;
  /** Null if the creator has left the organization. */
  readonly creatorName: string | null;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: KeyStatus;
  /** True if requests of the key's team are refused. */
  readonly isTeamBlocked: boolean;
  /** Empty if the key can use all of the team's models. */
  readonly models: readonly string[];
  /** Null if the key can use only inference and information routes. */
  readonly allowedRoutes: readonly string[] | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly rotatedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The reader's role in the key's team; null if the reader sees the key only as an administrator. */
  readonly readerRole: TeamRole | null;
}

const noUsage: KeyUsage = { total: 0n, daily: 0n, weekly: 0n, monthly: 0n };

/** SQL expression for a key's status at the given time. */
export const keyStatus = (now: Date): RawBuilder<KeyStatus> => sql`case
  when key.revoked_at is not null then 'revoked'
  when key.disabled_at is not null then 'disabled'
  when key.expires_at <= ${now} then 'expired'
  else 'active' end`;

/**
 * Last use of a key, from its usage rollups: the start of the 15-minute bucket, or the key's creation time if that is
 * later. Settlement is on the hot path, so it doesn't write a timestamp to the key's row.
 */
export const lastUse = sql<Date | null>`(
  select greatest(r.bucket_at, key.created_at) from usage_rollups r
  where r.organization_id = key.organization_id and r.key_id = key.id
  order by r.bucket_at desc limit 1)`;

/** The keys that the reader can see, as FROM and WHERE clauses. */
export const visibleKeys = (reader: KeyReader) => sql`
  from api_keys key
  left join team_members as reader on reader.team_id = key.team_id and reader.user_id = ${reader.userId}
  where key.organization_id = ${reader.organizationId} and (${reader.seesAllTeams} or reader.user_id is not null)`;

export const keyColumns = (reader: KeyReader) => sql`
  key.id, key.organization_id as "organizationId", key.team_id as "teamId", key.user_id as "creatorId",
  (select creator.name from users creator where creator.id = key.user_id) as "creatorName", key.name, key.prefix, key.last_four as "lastFour", ${keyStatus(reader.now)} as status,
  exists (select from teams team where team.id = key.team_id and team.status = 'blocked') as "isTeamBlocked",
  key.models, key.allowed_routes::text[] as "allowedRoutes", key.rpm_limit as rpm, key.tpm_limit as tpm, key.max_parallel_requests as "maxParallel",
  key.expires_at as "expiresAt", ${lastUse} as "lastUsedAt", key.rotated_at as "rotatedAt",
  key.created_at as "createdAt", key.updated_at as "updatedAt", reader.role as "readerRole"`;

/** Adds the usage and the budget of each key. */
export async function withMoney(
  transaction: TenantTransaction,
  rows: readonly KeyRow[],
  reader: KeyReader,
): Promise<readonly KeyView[]> {
  const ids = rows.map(({ id }) => id);
  const budgets = await readBudgets(transaction, reader.organizationId, "key", ids, reader.now);
  const usage = await readUsage(transaction, ids, reader);
  return rows.map((row) => ({
    ...row,
    usage: usage.get(row.id) ?? noUsage,
    budget: budgets.get(row.id) ?? null,
  }));
}

async function readUsage(
  transaction: TenantTransaction,
  ids: readonly string[],
  { organizationId, now }: KeyReader,
): Promise<ReadonlyMap<string, KeyUsage>> {
  if (ids.length === 0) return new Map();
  const since = (period: string) => new Date(windowAt(parsePeriod(period), now.getTime()).startsAtMs);
  const costSince = (period: string) =>
    sql`coalesce(sum(cost) filter (where bucket_at >= ${since(period)}), 0)::bigint`;
  const { rows } = await sql<KeyUsage & { readonly keyId: string }>`
    select key_id as "keyId", sum(cost)::bigint as total, ${costSince("daily")} as daily,
      ${costSince("weekly")} as weekly, ${costSince("monthly")} as monthly
    from usage_rollups
    where organization_id = ${organizationId} and key_id = any (${ids}::text[])
    group by key_id`.execute(transaction);
  return new Map(rows.map(({ keyId, total, daily, weekly, monthly }) => [keyId, { total, daily, weekly, monthly }]));
}
