import { revokeKeys } from "../keys/revoke-keys.ts";
import type { TenantTransaction } from "../tenancy.ts";

/**
 * Deletes a team and revokes its keys and open invitations. Its row and members remain for usage and the ledger, and
 * calls in flight are still settled. Updates the row first, so that no key can be added concurrently, because key
 * creation locks the row. Returns the revoked keys, or null if the team was already deleted.
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
