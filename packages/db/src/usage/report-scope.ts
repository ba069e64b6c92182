import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** What an organization says of its reports. */
export interface ReportSettings {
  readonly name: string;
  /** For how many days it shows its calls. */
  readonly retentionDays: number;
  readonly timezone: string;
  /** Whether what is asked and answered is kept. */
  readonly keepsContent: boolean;
}

/**
 * Begins a report: reads the organization's settings for it, and makes the statements that follow go by the indexes. A
 * planner that knows nothing of how rows lie on the disk would read whole tables, which grow for ever, for a few days of
 * them.
 */
export async function beginReport(transaction: TenantTransaction, organizationId: string): Promise<ReportSettings> {
  const { rows } = await sql<ReportSettings>`
    select name, log_retention_days as "retentionDays", timezone, log_prompts as "keepsContent",
           set_config('enable_seqscan', 'off', true), set_config('random_page_cost', '1.1', true)
      from organizations where id = ${organizationId}`.execute(transaction);
  return rows[0] as ReportSettings;
}

/** Up to when every call that ended is in the sums. */
export async function readKnownUntil(transaction: TenantTransaction): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select usage_known_until() as at`.execute(transaction);
  return (rows[0] as { at: Date }).at;
}

/** The same for a report over every organization. */
export async function beginWideReport(transaction: TenantTransaction): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('random_page_cost', '1.1', true)`.execute(
    transaction,
  );
}

/** The teams of an organization that a person belongs to. */
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

/** The ids of keys that have one of these secrets, now or before their last rotation. */
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

/** The keys that these people made, in one organization or in all. */
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
