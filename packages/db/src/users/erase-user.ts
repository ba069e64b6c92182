import { sql } from "kysely";
import { revokeInvitationsOfUser } from "../invitations/end-invitation.ts";
import { removeOrganizationMember } from "../members/change-organization-member.ts";
import { lockOrganization } from "../members/lock-organization.ts";
import { closeOrganization } from "../organizations/close-organization.ts";
import type { TenantTransaction } from "../tenancy.ts";

const ERASED_AT_ONCE = 2_000;

interface ClosedOrganization {
  readonly id: string;
  readonly revokedKeys: readonly string[];
}

export type ErasureOutcome =
  | {
      readonly kind: "erased";
      readonly closed: readonly ClosedOrganization[];
      readonly left: readonly string[];
      /** Open invitations that the user sent. */
      readonly revokedInvitations: readonly string[];
    }
  /**
   * The user can't be erased, because an organization would have no owner, or because the next owner has an
   * organization with the same name.
   */
  | { readonly kind: "last_owner" | "name_taken"; readonly organizationId: string };

/**
 * Permanently erases a user. Organizations without other members are closed. Unless the outcome is `erased`, the
 * transaction must be rolled back.
 */
export async function eraseUser(transaction: TenantTransaction, userId: number, now: Date): Promise<ErasureOutcome> {
  const closed: ClosedOrganization[] = [];
  const left: string[] = [];
  for (const id of await listMemberships(transaction, userId)) {
    await lockOrganization(transaction, id);
    if (await isAlone(transaction, id, userId)) {
      closed.push({ id, revokedKeys: await closeAndForget(transaction, id, userId, now) });
      continue;
    }
    const outcome = await removeOrganizationMember(transaction, id, userId);
    if (outcome !== "done") return { kind: outcome, organizationId: id };
    left.push(id);
  }
  const revokedInvitations = await revokeInvitationsOfUser(transaction, userId, now);
  await eraseAudit(transaction, userId);
  await transaction.deleteFrom("user_preferences").where("user_id", "=", userId).execute();
  await transaction.deleteFrom("pairings").where("user_id", "=", userId).execute();
  await sql`select erase_person(${userId})`.execute(transaction);
  return { kind: "erased", closed, left, revokedInvitations };
}

/**
 * Erases audit data while the email address is still stored, because the address identifies rows from before the
 * account existed.
 */
async function eraseAudit(transaction: TenantTransaction, userId: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ erased: number }>`
      select erase_audit_of_person(${userId}, ${ERASED_AT_ONCE}) as erased`.execute(transaction);
    if ((rows[0]?.erased ?? 0) < ERASED_AT_ONCE) return;
  }
}

/** Lists memberships by organization ID, the order in which all code locks organizations. */
async function listMemberships(transaction: TenantTransaction, userId: number): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom("organization_members")
    .select("organization_id as id")
    .where("user_id", "=", userId)
    .orderBy("organization_id")
    .execute();
  return rows.map(({ id }) => id);
}

async function isAlone(transaction: TenantTransaction, organizationId: string, userId: number): Promise<boolean> {
  const other = await transaction
    .selectFrom("organization_members")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .where("user_id", "<>", userId)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

/** Closes a single-member organization and clears its name, which is often the user's name. */
async function closeAndForget(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  now: Date,
): Promise<readonly string[]> {
  const revokedKeys = await closeOrganization(transaction, organizationId, now);
  await transaction
    .updateTable("organizations")
    .set({ name: `deleted-${userId}`, billing_email: null })
    .where("id", "=", organizationId)
    .execute();
  return revokedKeys;
}
