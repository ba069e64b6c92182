import { Failure } from "@tollgate/contracts/failures.ts";
import { type AuditEntry, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeSentInvitations, revokeWaysBack } from "@tollgate/db/invitations/end-invitation.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import {
  addTeamMember,
  changeTeamRole,
  hasOtherTeamAdmin,
  removeTeamMember,
} from "@tollgate/db/members/change-team-member.ts";
import { findTeamMember, type Member } from "@tollgate/db/members/list-members.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { canGrantTeamRole, may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import { roleRequired } from "../organizations/enter-own-organization.ts";
import type { TeamRef } from "./update-team.ts";

type TeamMember = Member<TeamRole>;

/** Throws if the user can't grant this role in the team. `roles` is null for platform administrators. */
export function requireRoleGrant(roles: Roles | null, role: TeamRole): void {
  if (roles === null || canGrantTeamRole(roles, role)) return;
  throw roleRequired("Only team admins can make other members admins.");
}

/** Adds a member of the organization to a team. The organization must be locked. */
export async function addMember(
  transaction: TenantTransaction,
  team: TeamRef,
  { userId, role }: Pick<TeamMember, "userId" | "role">,
  author: ChangeAuthor,
  now: Date,
): Promise<TeamMember> {
  const { organizationId, teamId } = team;
  await addTeamMember(transaction, organizationId, { teamId, userId, role, now });
  const added = await findTeamMember(transaction, organizationId, teamId, userId);
  if (added === null) throw new Error("the new member was not found");
  await addEvent(transaction, organizationId, "member.added", { userId, teamId, role });
  await auditMember(transaction, team, added, author, { action: "member.added", after: { teamId, role } });
  return added;
}

/**
 * Changes a member's role. The organization must be locked. `roles` are the roles of the user who changes it; null for
 * platform administrators.
 */
export async function changeMemberRole(
  transaction: TenantTransaction,
  team: TeamRef,
  member: TeamMember,
  role: TeamRole,
  roles: Roles | null,
  author: ChangeAuthor,
  now: Date,
): Promise<void> {
  if (member.role === role) return;
  const { organizationId, teamId } = team;
  const { userId } = member;
  const isDemoted = role === "member";
  if (isDemoted) await requireAnotherAdmin(transaction, team, userId, roles);
  const revokedInvitations = isDemoted
    ? await revokeSentInvitations(transaction, organizationId, { invitedBy: userId, teamId }, now)
    : [];
  await changeTeamRole(transaction, organizationId, teamId, member.userId, role);
  await auditMember(transaction, team, member, author, {
    action: "member.role_changed",
    before: { teamId, role: member.role },
    after: { teamId, role, ...(revokedInvitations.length > 0 && { revokedInvitations }) },
  });
}

interface MemberRemoval {
  /** Roles of the user who removes the member; null for platform administrators. */
  readonly roles: Roles | null;
  /** True to revoke the member's keys in the team, too. */
  readonly revokesKeys: boolean;
}

/** Removes a member from a team, but not from the organization. The organization must be locked. Returns revoked keys. */
export async function removeMember(
  transaction: TenantTransaction,
  team: TeamRef,
  member: TeamMember,
  { roles, revokesKeys }: MemberRemoval,
  author: ChangeAuthor,
  now: Date,
): Promise<readonly string[]> {
  const { organizationId, teamId } = team;
  const { userId, email, role } = member;
  if (role === "admin") await requireAnotherAdmin(transaction, team, userId, roles);
  const revokedInvitations = await revokeWaysBack(
    transaction,
    organizationId,
    { email, invitedBy: userId, teamId },
    now,
  );
  await removeTeamMember(transaction, organizationId, teamId, userId);
  const revokedKeys = revokesKeys ? await revokeKeys(transaction, organizationId, { teamId, userId }, now) : [];
  await addEvent(transaction, organizationId, "member.removed", { userId, teamId, scope: "team" });
  await auditMember(transaction, team, member, author, {
    action: "member.removed",
    before: { teamId, role },
    after: { revokedKeys, revokedInvitations },
  });
  return revokedKeys;
}

/** Throws if the team would lose its last admin, unless the user manages all teams. */
async function requireAnotherAdmin(
  transaction: TenantTransaction,
  { organizationId, teamId }: TeamRef,
  userId: number,
  roles: Roles | null,
): Promise<void> {
  if (roles === null || may(roles, "see_all_teams")) return;
  if (await hasOtherTeamAdmin(transaction, organizationId, teamId, userId)) return;
  throw new Failure(
    "LAST_ADMIN",
    "This is the team's last admin. Make another member an admin first, or ask an organization admin.",
  );
}

async function auditMember(
  transaction: TenantTransaction,
  { organizationId }: TeamRef,
  { userId, email }: Pick<TeamMember, "userId" | "email">,
  { actor, subjects = [] }: ChangeAuthor,
  change: Pick<AuditEntry, "action" | "before" | "after">,
): Promise<void> {
  await writeAudit(transaction, {
    organizationId,
    actor,
    target: { type: "user", id: String(userId) },
    ...change,
    personal: { target: { email } },
    subjects: [...subjects, userId],
  });
}
