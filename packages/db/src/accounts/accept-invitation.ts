import { sql } from "kysely";
import { enterOrganization, type TenantTransaction } from "../tenancy.ts";

interface Acceptance {
  readonly by: { readonly tokenDigest: Buffer } | { readonly invitationId: string };
  readonly userId: number;
  /** Email address of the accepting account. An invitation is valid for one address only. */
  readonly email: string;
  readonly now: Date;
}

export interface Invitation {
  readonly invitationId: string;
  readonly organizationId: string;
  /** Null if the invitation is for the organization only. */
  readonly teamId: string | null;
  /** Role in the team, or in the organization if there is no team. */
  readonly role: "admin" | "member";
  readonly invitedBy: number;
}

type AcceptanceOutcome = ({ readonly kind: "accepted" } & Invitation) | { readonly kind: "unknown" };

/**
 * Accepts an invitation in an unauthenticated transaction. The account joins the organization and its team exactly
 * once. Afterward, the transaction is scoped to that organization.
 */
export async function acceptInvitation(
  transaction: TenantTransaction,
  { by, userId, email, now }: Acceptance,
): Promise<AcceptanceOutcome> {
  const invitation = await findInvitation(transaction, by, email, now);
  if (invitation === null) return { kind: "unknown" };
  const { organizationId, teamId, role } = invitation;
  await enterOrganization(transaction, organizationId);
  await transaction
    .updateTable("invitations")
    .set({ status: "accepted", decided_at: now })
    .where("id", "=", invitation.invitationId)
    .execute();
  await transaction
    .insertInto("organization_members")
    .values({
      organization_id: organizationId,
      user_id: userId,
      role: teamId === null ? role : "member",
      joined_at: now,
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "user_id"]).doNothing())
    .execute();
  if (teamId !== null) {
    await transaction
      .insertInto("team_members")
      .values({ organization_id: organizationId, team_id: teamId, user_id: userId, role, joined_at: now })
      .onConflict((conflict) => conflict.columns(["team_id", "user_id"]).doNothing())
      .execute();
  }
  return { kind: "accepted", ...invitation };
}

/**
 * Finds and locks the pending invitation for this address. Returns null if the invitation, its organization, or its
 * team is no longer active.
 */
export async function findInvitation(
  transaction: TenantTransaction,
  by: Acceptance["by"],
  email: string,
  now: Date,
): Promise<Invitation | null> {
  const named = "tokenDigest" in by ? sql`i.token_digest = ${by.tokenDigest}` : sql`i.id = ${by.invitationId}`;
  const { rows } = await sql<Invitation>`
    select i.id as "invitationId", i.organization_id as "organizationId", i.team_id as "teamId", i.role,
      i.invited_by as "invitedBy"
    from invitations i
    join organizations o on o.id = i.organization_id and o.status = 'active'
    left join teams t on t.id = i.team_id
    where ${named} and i.email = ${email} and i.status = 'pending' and i.expires_at > ${now}
      and (i.team_id is null or t.deleted_at is null)
    for update of i`.execute(transaction);
  return rows[0] ?? null;
}
