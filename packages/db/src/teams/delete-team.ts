import { revokeKeys } from "../keys/revoke-keys.ts";
import type { TenantTransaction } from "../tenancy.ts";

/**
 * Ends a team: its keys and open invitations end with it, its row and its members stay for usage and books, and calls that
 * run are still settled. The row comes first: whoever makes a key holds it, so no key can slip in unseen. Returns the keys
 * that ended, or null when the team was gone already.
 */
export async function deleteTeam(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  now: Date,
): Promise<readonly string[] | null> {
  const deleted = await transaction
    .updateTable("teams")
    .set({ deleted_at: now, updated_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", teamId)
    .where("deleted_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (deleted === undefined) return null;
  await transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("organization_id", "=", organizationId)
    .where("team_id", "=", teamId)
    .where("status", "=", "pending")
    .execute();
  return revokeKeys(transaction, organizationId, { teamId }, now);
}
