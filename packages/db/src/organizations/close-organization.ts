import { revokeKeys } from "../keys/revoke-keys.ts";
import type { TenantTransaction } from "../tenancy.ts";

/**
 * Closes an organization permanently: revokes its keys and open invitations and blocks all access. Its ledger, usage,
 * and audit log remain, and calls in flight are still settled. Returns the revoked keys.
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
