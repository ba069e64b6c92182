import type { TenantTransaction } from "../tenancy.ts";

/** Takes an open invitation of the organization back; false when there is none with this id, in this team if one is named. */
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

/** By which invitations somebody could come back: those to their address, and those that they sent themselves. */
export interface WaysBack {
  readonly email: string;
  /** Whose own invitations end as well; absent when what they sent stays good. */
  readonly invitedBy?: number;
  /** Absent: into the organization and all of its teams. */
  readonly teamId?: string;
}

/**
 * Ends open invitations of somebody who is removed, and returns their ids. Before the membership ends: whoever accepts
 * one at this moment is waited for, and is removed with it.
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

export interface DeclinedInvitation {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string | null;
}

/** Says no for the addressee, by id or by the digest of the link; null when there is no open invitation to this address. */
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
