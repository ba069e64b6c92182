import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { findMemberRoles, type MemberRoles } from "@tollgate/db/members/find-member-roles.ts";
import { lockOrganization } from "@tollgate/db/members/lock-organization.ts";
import { findOrganizationOfTeam } from "@tollgate/db/teams/list-teams.ts";
import { enterOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { type Action, describeWhoMay, may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";

interface Entrance {
  /** Serializes changes to members and invitations. Roles are read after the lock is acquired. */
  readonly locks?: boolean;
}

/** Enters one of the caller's organizations, active or not. Any other organization is reported as not found. */
export async function enterOwnOrganization(
  transaction: TenantTransaction,
  caller: Caller,
  organizationId: string,
  { locks = false }: Entrance = {},
): Promise<MemberRoles> {
  const roles = await findMemberRoles(transaction, organizationId, caller.userId);
  if (roles === null) throw unknownObject("organization");
  await enterOrganization(transaction, organizationId);
  if (!locks) return roles;
  await lockOrganization(transaction, organizationId);
  const current = await findMemberRoles(transaction, organizationId, caller.userId);
  if (current === null) throw unknownObject("organization");
  return current;
}

/** Enters a team's organization if the caller is a member of that organization. */
export async function enterOrganizationOfTeam(
  transaction: TenantTransaction,
  caller: Caller,
  teamId: string,
  { locks = false }: Entrance = {},
): Promise<{ readonly organizationId: string; readonly standing: MemberRoles }> {
  const organizationId = await findOrganizationOfTeam(transaction, teamId);
  const roles =
    organizationId === null ? null : await findMemberRoles(transaction, organizationId, caller.userId, teamId);
  if (organizationId === null || roles === null) throw unknownObject("team");
  await enterOrganization(transaction, organizationId);
  if (!locks) return { organizationId, standing: roles };
  await lockOrganization(transaction, organizationId);
  const current = await findMemberRoles(transaction, organizationId, caller.userId, teamId);
  if (current === null || (await findOrganizationOfTeam(transaction, teamId)) === null) throw unknownObject("team");
  return { organizationId, standing: current };
}

/** Throws if the roles don't permit the action. */
export function requirePermission(roles: Roles, action: Action): void {
  if (!may(roles, action)) throw roleRequired(`Only ${describeWhoMay(action)} can do this.`);
}

export function roleRequired(message: string): Failure {
  return new Failure("ROLE_REQUIRED", message, { fix: "Ask one of them, or ask an owner for a higher role." });
}
