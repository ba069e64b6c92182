import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface KeyOwner {
  /** All teams of the organization when absent. */
  readonly teamId?: string;
  /** Whoever made them when absent. */
  readonly userId?: number;
}

/** Ends the keys of an organization, a team or a person for good, tells others of each, and returns their ids. */
export async function revokeKeys(
  transaction: TenantTransaction,
  organizationId: string,
  owner: KeyOwner,
  now: Date,
): Promise<readonly string[]> {
  let query = transaction
    .updateTable("api_keys")
    .set({ revoked_at: now, updated_at: now })
    .where("organization_id", "=", organizationId)
    .where("revoked_at", "is", null);
  if (owner.teamId !== undefined) query = query.where("team_id", "=", owner.teamId);
  if (owner.userId !== undefined) query = query.where("user_id", "=", owner.userId);
  const revoked = await query.returning(["id", "team_id"]).execute();
  if (revoked.length > 0) {
    await sql`insert into outbox (organization_id, type, data)
      select ${organizationId}, 'key.revoked', jsonb_build_object('keyId', key_id, 'teamId', team_id)
      from unnest(${revoked.map(({ id }) => id)}::text[], ${revoked.map(({ team_id }) => team_id)}::text[])
        as revoked (key_id, team_id)`.execute(transaction);
  }
  return revoked.map(({ id }) => id);
}
