import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { BudgetState } from "../leases/read-budgets.ts";
import { readBudgetsOfMany } from "../leases/read-budgets.ts";
import type { RateLimits } from "../rate-limits.ts";
import type { TenantTransaction } from "../tenancy.ts";
import type { KeyName } from "./find-visible-key.ts";
import { type KeyStatus, keyStatus, lastUse } from "./key-view.ts";

/** A key with all of its settings. Contains only the digest and the last four characters of its secret. */
export interface ManagedKey extends ManagedKeyRow {
  readonly limits: RateLimits;
  readonly budget: BudgetState | null;
}

interface ManagedKeyRow {
  readonly id: string;
  /** SHA-256 of the secret, in hex. */
  readonly tokenHash: string;
  readonly lastFour: string;
  readonly organizationId: string;
  readonly teamId: string;
  readonly userId: number | null;
  readonly name: string;
  readonly status: KeyStatus;
  readonly isDisabled: boolean;
  readonly models: readonly string[];
  /** Null if the key can use only inference and information routes. */
  readonly allowedRoutes: readonly string[] | null;
  readonly aliases: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly guardrails: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Total spend. */
  readonly spent: NanoUsd;
}

/** Filter for keys. Null fields match everything. */
interface ManagedKeyFilter {
  readonly organizationId: string | null;
  readonly teamIds: readonly string[] | null;
  readonly userId: number | null;
  readonly name: string | null;
  readonly key: KeyName | null;
  /** True to include revoked keys. */
  readonly includesRevoked: boolean;
}

interface ManagedKeyPage {
  readonly limit: number;
  readonly offset: number;
  readonly now: Date;
}

/** Lists one page of the matching keys, newest first. The connection sees its organization's keys, or all keys. */
export async function listManagedKeys(
  transaction: TenantTransaction,
  filter: ManagedKeyFilter,
  { limit, offset, now }: ManagedKeyPage,
): Promise<{ readonly keys: readonly ManagedKey[]; readonly total: number }> {
  const wanted = sql`from api_keys key where ${whereKeys(filter, now)}`;
  const { rows } = await sql<ManagedKeyRow & RateLimits>`
    select ${columns(now)} ${wanted} order by key.created_at desc, key.id desc limit ${limit} offset ${offset}`.execute(
    transaction,
  );
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${wanted}`.execute(transaction);
  return { keys: await withBudgets(transaction, rows, now), total: counted.rows[0]?.total ?? 0 };
}

/** Returns the matching key, or null. */
export async function findManagedKey(
  transaction: TenantTransaction,
  filter: ManagedKeyFilter,
  now: Date,
): Promise<ManagedKey | null> {
  const { rows } = await sql<ManagedKeyRow & RateLimits>`
    select ${columns(now)} from api_keys key where ${whereKeys(filter, now)} limit 1`.execute(transaction);
  const [key] = await withBudgets(transaction, rows, now);
  return key ?? null;
}

/** Like `findManagedKey`, but locks the key until this transaction ends. */
export async function lockManagedKey(
  transaction: TenantTransaction,
  filter: ManagedKeyFilter,
  now: Date,
): Promise<ManagedKey | null> {
  await sql`select key.id from api_keys key where ${whereKeys(filter, now)} limit 1 for no key update`.execute(
    transaction,
  );
  return findManagedKey(transaction, filter, now);
}

function whereKeys(filter: ManagedKeyFilter, now: Date): RawBuilder<unknown> {
  const { organizationId, teamIds, userId, name, key, includesRevoked } = filter;
  return sql.join(
    [
      sql`true`,
      ...(organizationId === null ? [] : [sql`key.organization_id = ${organizationId}`]),
      ...(teamIds === null ? [] : [sql`key.team_id = any (${[...teamIds]}::text[])`]),
      ...(userId === null ? [] : [sql`key.user_id = ${userId}`]),
      ...(name === null ? [] : [sql`key.name = ${name}`]),
      ...(key === null ? [] : [named(key, now)]),
      ...(includesRevoked ? [] : [sql`key.revoked_at is null`]),
    ],
    sql` and `,
  );
}

function named(name: KeyName, now: Date): RawBuilder<unknown> {
  if ("id" in name) return sql`key.id = ${name.id}`;
  return sql`(key.token_hash = ${name.hash}
    or (key.previous_token_hash = ${name.hash} and key.previous_valid_until > ${now}))`;
}

const columns = (now: Date) => sql`
  key.id, encode(key.token_hash, 'hex') as "tokenHash", key.last_four as "lastFour",
  key.organization_id as "organizationId", key.team_id as "teamId", key.user_id as "userId", key.name,
  ${keyStatus(now)} as status, key.disabled_at is not null as "isDisabled", key.models::text[],
  key.allowed_routes::text[] as "allowedRoutes",
  key.aliases, key.tags::text[], key.guardrails::text[], key.metadata, key.rpm_limit as rpm, key.tpm_limit as tpm,
  key.max_parallel_requests as "maxParallel", key.model_rpm_limits as "modelRpm", key.model_tpm_limits as "modelTpm",
  key.expires_at as "expiresAt", ${lastUse} as "lastUsedAt", key.created_at as "createdAt",
  key.updated_at as "updatedAt",
  coalesce((select sum(r.cost)::bigint from usage_rollups r
    where r.organization_id = key.organization_id and r.key_id = key.id), 0) as spent`;

async function withBudgets(
  transaction: TenantTransaction,
  rows: readonly (ManagedKeyRow & RateLimits)[],
  now: Date,
): Promise<readonly ManagedKey[]> {
  const budgets = await readBudgetsOfMany(transaction, "key", rows, now);
  return rows.map(({ rpm, tpm, maxParallel, modelRpm, modelTpm, ...row }) => ({
    ...row,
    limits: { rpm, tpm, maxParallel, modelRpm, modelTpm },
    budget: budgets.get(row.id) ?? null,
  }));
}
