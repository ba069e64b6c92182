import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

interface NewInvitation {
  readonly id: string;
  readonly organizationId: string;
  /** Null if the invitation is for the organization only. */
  readonly teamId: string | null;
  /** Email address in lowercase. */
  readonly email: string;
  readonly role: TeamRole;
  readonly tokenDigest: Buffer;
  readonly invitedBy: number;
  readonly expiresAt: Date;
}

interface InvitationLimits {
  readonly invitationsPerDayPerOrganization: number;
  readonly pendingInvitationsPerOrganization: number;
}

/** `mailbox_limit`: the address has received its daily number of invitations, from all organizations together. */
export type AddInvitationOutcome = "added" | "daily_limit" | "pending_limit" | "mailbox_limit";

const DAY_MS = 24 * 3_600_000;
/**
 * Maximum number of invitations per day to one email address, from all organizations together. Otherwise, a user with
 * many organizations could flood a mailbox.
 */
export const MAX_INVITATIONS_PER_MAILBOX = 10;

/**
 * Adds an invitation and replaces an open invitation to the same address and team. The organization must be locked.
 * Otherwise, the counts could be wrong.
 */
export async function addInvitation(
  transaction: TenantTransaction,
  invitation: NewInvitation,
  limits: InvitationLimits,
  now: Date,
): Promise<AddInvitationOutcome> {
  const { organizationId, teamId, email } = invitation;
  const dayAgo = new Date(now.getTime() - DAY_MS);
  const { rows } = await sql<{ lastDay: number; pending: number }>`
    select count(*) filter (where created_at > ${dayAgo})::integer as "lastDay",
      count(*) filter (where status = 'pending' and expires_at > ${now}
        and not (email = ${email} and team_id is not distinct from ${teamId}))::integer as pending
    from invitations where organization_id = ${organizationId}`.execute(transaction);
  const { lastDay = 0, pending = 0 } = rows[0] ?? {};
  if (lastDay >= limits.invitationsPerDayPerOrganization) return "daily_limit";
  if (pending >= limits.pendingInvitationsPerOrganization) return "pending_limit";
  if ((await countMailed(transaction, email, dayAgo)) >= MAX_INVITATIONS_PER_MAILBOX) return "mailbox_limit";
  // Keep the replaced row: each invitation was sent by email and counts toward the daily limit.
  await transaction
    .updateTable("invitations")
    .set({ status: "revoked", decided_at: now })
    .where("organization_id", "=", organizationId)
    .where("team_id", "is not distinct from", teamId)
    .where("email", "=", email)
    .where("status", "=", "pending")
    .execute();
  await transaction
    .insertInto("invitations")
    .values({
      id: invitation.id,
      organization_id: organizationId,
      team_id: teamId,
      email,
      role: invitation.role,
      token_digest: invitation.tokenDigest,
      invited_by: invitation.invitedBy,
      expires_at: invitation.expiresAt,
      created_at: now,
    })
    .execute();
  return "added";
}

async function countMailed(transaction: TenantTransaction, email: string, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count_mailed_invitations(${email}, ${since}, ${MAX_INVITATIONS_PER_MAILBOX}) as count`.execute(transaction);
  return rows[0]?.count ?? 0;
}
