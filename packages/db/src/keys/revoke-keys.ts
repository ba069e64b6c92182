import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Filter for an organization's keys. Absent fields match everything. */
interface KeySelection {
  readonly keyId?: string;
  readonly teamId?: string;
  /** The user that the keys belong to. */
  readonly userId?: number;
}

/**
 * Revokes keys permanently, publishes each change, and returns the IDs of the keys that were not already revoked. The
 * rows remain because usage refers to them.
 */
export async function revokeKeys(
  transaction: TenantTransaction,
  organizationId: string,
  selection: KeySelection,
  now: Date,
): Promise<readonly string[]> {
  let query = transaction
    .updateTable("api_keys")
    .set({ revoked_at: now, updated_at: now })
    .where("organization_id", "=", organizationId)
    .where("revoked_at", "is", null);
  const { keyId, teamId, userId } = selection;
  if (keyId !== undefined) query = query.where("id", "=", keyId);
  if (teamId !== undefined) query = query.where("team_id", "=", teamId);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  const revoked = await query.returning(["id", "team_id"]).execute();
  if (revoked.length > 0) {
    await sql`insert into outbox (organization_id, type, data)
      select ${organizationId}, 'key.revoked', jsonb_build_object('keyId', key_id, 'teamId', team_id)
      from unnest(${revoked.map(({ id }) => id)}::text[], ${revoked.map(({ team_id }) => team_id)}::text[])
        as revoked (key_id, team_id)`.execute(transaction);
  }
  return revoked.map(({ id }) => id);
}
