import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** An organization's report settings. */
interface ReportSettings {
  readonly name: string;
  /** Number of days for which calls are shown. */
  readonly retentionDays: number;
  readonly timezone: string;
  /** True if prompts and responses are stored. */
  readonly keepsContent: boolean;
}

/**
 * Starts a report: reads the organization's settings, and makes the following statements use indexes. The planner
 * doesn't know the physical row order and would otherwise scan entire, ever-growing tables for a few days of data.
 */
export async function beginReport(transaction: TenantTransaction, organizationId: string): Promise<ReportSettings> {
  const { rows } = await sql<ReportSettings>`
    select name, log_retention_days as "retentionDays", timezone, log_prompts as "keepsContent",
           set_config('enable_seqscan', 'off', true), set_config('random_page_cost', '1.1', true)
      from organizations where id = ${organizationId}`.execute(transaction);
  return rows[0] as ReportSettings;
}

/** Returns the time up to which all finished calls are in the rollups. */
export async function readKnownUntil(transaction: TenantTransaction): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select usage_known_until() as at`.execute(transaction);
  return (rows[0] as { at: Date }).at;
}

/** Like `beginReport`, but for a report on all organizations. */
export async function beginWideReport(transaction: TenantTransaction): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('random_page_cost', '1.1', true)`.execute(
    transaction,
  );
}

/** Lists the teams of an organization that a user belongs to. */
export async function listTeamsOf(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
): Promise<string[]> {
  const rows = await transaction
    .selectFrom("team_members")
    .select("team_id")
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
  return rows.map((row) => row.team_id);
}

/** Returns the IDs of keys that have one of these secrets, now or before their last rotation. */
export async function findKeyIds(
  transaction: TenantTransaction,
  organizationId: string,
  hashes: readonly Buffer[],
): Promise<string[]> {
  const rows = await transaction
    .selectFrom("api_keys")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where((column) => column.or([column("token_hash", "in", hashes), column("previous_token_hash", "in", hashes)]))
    .execute();
  return rows.map((row) => row.id);
}

/** Returns the keys that these users created, in one or all organizations. */
export async function findKeysOf(
  transaction: TenantTransaction,
  organizationId: string | null,
  userIds: readonly number[],
): Promise<string[]> {
  const rows = await transaction
    .selectFrom("api_keys")
    .select("id")
    .$if(organizationId !== null, (query) => query.where("organization_id", "=", organizationId))
    .where("user_id", "in", userIds)
    .execute();
  return rows.map((row) => row.id);
}
