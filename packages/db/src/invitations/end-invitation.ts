import type { TenantTransaction } from "../tenancy.ts";

/**
 * Revokes an open invitation to the organization. Returns false if no open invitation has this ID (and team, if given).
 */
export async function revokeInvitation(
  transaction: TenantTransaction,
  organizationId: string,
  invitation: { readonly id: string; readonly teamId?: string | null },
  now: Date,
): Promise<boolean> {
  let query = transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", invitation.id)
    .where("status", "=", "pending");
  if (invitation.teamId !== undefined) query = query.where("team_id", "is not distinct from", invitation.teamId);
  return (await query.returning("id").executeTakeFirst()) !== undefined;
}

/**
 * Invitations that would let a removed member rejoin: invitations sent to the member, and invitations that the member
 * sent.
 */
interface WaysBack {
  readonly email: string;
  /** User whose sent invitations are revoked too. If absent, sent invitations stay valid. */
  readonly invitedBy?: number;
  /** Team to cover; if absent, the organization and all of its teams. */
  readonly teamId?: string;
}

/**
 * Revokes the open invitations to a member who is being removed and, if `invitedBy` is set, the open invitations that
 * this user sent. Returns the invitation IDs. Call this function before the membership ends. If the member is accepting
 * an invitation concurrently, it waits, and the new membership is removed too.
 */
export async function revokeWaysBack(
  transaction: TenantTransaction,
  organizationId: string,
  { email, invitedBy, teamId }: WaysBack,
  now: Date,
): Promise<readonly string[]> {
  let query = transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("organization_id", "=", organizationId)
    .where("status", "=", "pending")
    .where((where) =>
      where.or([where("email", "=", email), ...(invitedBy === undefined ? [] : [where("invited_by", "=", invitedBy)])]),
    );
  if (teamId !== undefined) query = query.where("team_id", "=", teamId);
  return (await query.returning("id").execute()).map(({ id }) => id);
}

/**
 * Revokes the open invitations that a member sent, to one team or, without `teamId`, to the organization and all of its
 * teams. Returns the invitation IDs. Call this function when the member's role is lowered, because the invitations may
 * grant a role that the member can no longer grant.
 */
export async function revokeSentInvitations(
  transaction: TenantTransaction,
  organizationId: string,
  { invitedBy, teamId }: { readonly invitedBy: number; readonly teamId?: string },
  now: Date,
): Promise<readonly string[]> {
  let query = transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("organization_id", "=", organizationId)
    .where("invited_by", "=", invitedBy)
    .where("status", "=", "pending");
  if (teamId !== undefined) query = query.where("team_id", "=", teamId);
  return (await query.returning("id").execute()).map(({ id }) => id);
}

/**
 * Revokes the open invitations that a user sent from any organization, and returns their IDs. Call this function in an
 * administrator's transaction when the account is disabled or erased.
 */
export async function revokeInvitationsOfUser(
  transaction: TenantTransaction,
  userId: number,
  now: Date,
): Promise<readonly string[]> {
  const revoked = await transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("invited_by", "=", userId)
    .where("status", "=", "pending")
    .returning("id")
    .execute();
  return revoked.map(({ id }) => id);
}

interface DeclinedInvitation {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string | null;
}

/**
 * Declines an invitation for its recipient, by ID or by link digest. Returns null if no open invitation to this address
 * matches.
 */
export async function declineInvitation(
  transaction: TenantTransaction,
  by: { readonly invitationId: string } | { readonly tokenDigest: Buffer },
  email: string,
  now: Date,
): Promise<DeclinedInvitation | null> {
  const query = transaction
    .updateTable("invitations")
    .set({ status: "declined", decided_at: now })
    .where("email", "=", email)
    .where("status", "=", "pending")
    .where("expires_at", ">", now);
  const chosen =
    "invitationId" in by ? query.where("id", "=", by.invitationId) : query.where("token_digest", "=", by.tokenDigest);
  const row = await chosen
    .returning(["id", "organization_id as organizationId", "team_id as teamId"])
    .executeTakeFirst();
  return row ?? null;
}
