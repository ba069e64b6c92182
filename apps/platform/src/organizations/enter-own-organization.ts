import { ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { findStanding, type MemberStanding } from "@tollgate/db/members/find-standing.ts";
import { lockOrganization } from "@tollgate/db/members/lock-organization.ts";
import { findOrganizationOfTeam } from "@tollgate/db/teams/list-teams.ts";
import { enterOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { type Action, describeWhoMay, may, type Standing } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";

interface Entrance {
  /** Makes changes of members and invitations wait for each other. Roles are read once it is this one's turn. */
  readonly locks?: boolean;
}

/** Goes on inside an organization that the caller belongs to, the active one or another; anything else is not there. */
export async function enterOwnOrganization(
  transaction: TenantTransaction,
  caller: Caller,
  organizationId: string,
  { locks = false }: Entrance = {},
): Promise<MemberStanding> {
  const standing = await findStanding(transaction, organizationId, caller.userId);
  if (standing === null) throw unknownObject("organization");
  await enterOrganization(transaction, organizationId);
  if (!locks) return standing;
  await lockOrganization(transaction, organizationId);
  const current = await findStanding(transaction, organizationId, caller.userId);
  if (current === null) throw unknownObject("organization");
  return current;
}

/** Goes on inside the organization of a team, when the caller belongs to it. */
export async function enterOrganizationOfTeam(
  transaction: TenantTransaction,
  caller: Caller,
  teamId: string,
  { locks = false }: Entrance = {},
): Promise<{ readonly organizationId: string; readonly standing: MemberStanding }> {
  const organizationId = await findOrganizationOfTeam(transaction, teamId);
  const standing =
    organizationId === null ? null : await findStanding(transaction, organizationId, caller.userId, teamId);
  if (organizationId === null || standing === null) throw unknownObject("team");
  await enterOrganization(transaction, organizationId);
  if (!locks) return { organizationId, standing };
  await lockOrganization(transaction, organizationId);
  const current = await findStanding(transaction, organizationId, caller.userId, teamId);
  if (current === null || (await findOrganizationOfTeam(transaction, teamId)) === null) throw unknownObject("team");
  return { organizationId, standing: current };
}

/** Refuses whoever's role does not allow this. */
export function demand(standing: Standing, action: Action): void {
  if (!may(standing, action)) throw roleRequired(`Only ${describeWhoMay(action)} can do this.`);
}

export function roleRequired(message: string): ManagementFailure {
  return new ManagementFailure("ROLE_REQUIRED", `${message} Ask one of them, or ask an owner for a higher role.`);
}
