import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { TenantTransaction } from "../tenancy.ts";

interface InvitationRecord {
  readonly id: string;
  readonly email: string;
  readonly role: TeamRole;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly inviterId: number;
  readonly inviterName: string;
  readonly status: "pending" | "accepted" | "declined" | "revoked";
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

interface InvitationFilter {
  readonly sort: `${"" | "-"}${"createdAt" | "expiresAt"}`;
  readonly page: number;
  readonly pageSize: number;
}

interface InvitationPage {
  readonly invitations: readonly InvitationRecord[];
  readonly total: number;
}

/**
 * Lists one page of the open invitations to an address. Runs in an unauthenticated transaction because the recipient
 * isn't a member of those organizations yet.
 */
export async function listInvitationsTo(
  transaction: TenantTransaction,
  email: string,
  filter: InvitationFilter,
  now: Date,
): Promise<InvitationPage> {
  const open = invitations(transaction)
    .where("i.email", "=", email)
    .where("i.status", "=", "pending")
    .where("i.expires_at", ">", now)
    .where("o.status", "=", "active");
  return pageOf(open, filter);
}

/** Lists one page of the pending invitations to the organization and its teams, including expired invitations. */
export async function listInvitationsOfOrganization(
  transaction: TenantTransaction,
  organizationId: string,
  filter: InvitationFilter,
): Promise<InvitationPage> {
  const undecided = invitations(transaction)
    .where("i.organization_id", "=", organizationId)
    .where("i.status", "=", "pending");
  return pageOf(undecided, filter);
}

/** Lists the pending invitations to a team, newest first, including expired invitations. */
export async function listInvitationsOfTeam(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
): Promise<readonly InvitationRecord[]> {
  return invitations(transaction)
    .where("i.organization_id", "=", organizationId)
    .where("i.team_id", "=", teamId)
    .where("i.status", "=", "pending")
    .orderBy("i.created_at", "desc")
    .orderBy("i.id")
    .execute();
}

/** Finds an invitation to the organization or one of its teams, in any status. */
export async function findInvitation(
  transaction: TenantTransaction,
  organizationId: string,
  id: string,
): Promise<InvitationRecord | null> {
  const found = await invitations(transaction)
    .where("i.organization_id", "=", organizationId)
    .where("i.id", "=", id)
    .executeTakeFirst();
  return found ?? null;
}

async function pageOf(chosen: ReturnType<typeof invitations>, filter: InvitationFilter): Promise<InvitationPage> {
  const found = await chosen
    .orderBy(
      filter.sort.endsWith("createdAt") ? "i.created_at" : "i.expires_at",
      filter.sort.startsWith("-") ? "desc" : "asc",
    )
    .orderBy("i.id")
    .limit(filter.pageSize)
    .offset((filter.page - 1) * filter.pageSize)
    .execute();
  const { total } = await chosen
    .clearSelect()
    .select((select) => select.fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  return { invitations: found, total: Number(total) };
}

function invitations(transaction: TenantTransaction) {
  return transaction
    .selectFrom("invitations as i")
    .innerJoin("organizations as o", "o.id", "i.organization_id")
    .leftJoin("teams as t", "t.id", "i.team_id")
    .leftJoin("users as u", "u.id", "i.invited_by")
    .select((select) => [
      "i.id",
      "i.email",
      "i.role",
      "i.organization_id as organizationId",
      "o.name as organizationName",
      "i.team_id as teamId",
      "t.name as teamName",
      "i.invited_by as inviterId",
      // The name of a user who has left the organization is not visible.
      select.fn.coalesce("u.name", select.val("")).as("inviterName"),
      "i.status",
      "i.expires_at as expiresAt",
      "i.created_at as createdAt",
    ]);
}
