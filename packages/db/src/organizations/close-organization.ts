import { revokeKeys } from "../keys/revoke-keys.ts";
import type { TenantTransaction } from "../tenancy.ts";

/**
 * Closes an organization for good: its keys and open invitations end and nobody acts in it any more. Its books, usage and
 * audit log stay, and calls that run are still settled. Returns the keys that ended.
 */
export async function closeOrganization(
  transaction: TenantTransaction,
  organizationId: string,
  now: Date,
): Promise<readonly string[]> {
  await transaction
    .updateTable("organizations")
    .set({ status: "closed", closed_at: now, updated_at: now })
    .where("id", "=", organizationId)
    .execute();
  await transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("organization_id", "=", organizationId)
    .where("status", "=", "pending")
    .execute();
  return revokeKeys(transaction, organizationId, {}, now);
}
