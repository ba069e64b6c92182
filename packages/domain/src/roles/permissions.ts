import type { OrganizationRole, TeamRole } from "./roles.ts";

/** A user's roles in an organization and, if applicable, in a team. */
export interface Roles {
  readonly organization: OrganizationRole;
  /** Null or absent if the user is not in the team, or if no team is involved. */
  readonly team?: TeamRole | null;
}

/** Actions that depend on roles. The code that handles individual records, such as keys, checks their ownership. */
export type Action =
  | "see_credit"
  | "see_team"
  | "see_all_teams"
  | "see_all_logs"
  | "create_key"
  | "manage_team_keys"
  | "create_team"
  | "delete_team"
  | "edit_team"
  | "manage_team_members"
  | "edit_organization"
  | "manage_organization_members"
  | "buy_credits"
  | "see_audit_log"
  | "manage_webhooks"
  | "manage_organization_admins"
  | "export_organization"
  | "close_organization";

interface LeastRole {
  readonly organization: OrganizationRole;
  /** Minimum team role that also permits the action. */
  readonly team?: TeamRole;
}

/** Minimum role for each action. Higher roles can also perform the action. */
const leastRoles: Readonly<Record<Action, LeastRole>> = {
  see_credit: { organization: "member" },
  see_team: { organization: "admin", team: "member" },
  see_all_teams: { organization: "admin" },
  see_all_logs: { organization: "admin" },
  create_key: { organization: "admin", team: "member" },
  manage_team_keys: { organization: "admin", team: "admin" },
  create_team: { organization: "admin" },
  delete_team: { organization: "admin" },
  edit_team: { organization: "admin", team: "admin" },
  manage_team_members: { organization: "admin", team: "admin" },
  edit_organization: { organization: "admin" },
  manage_organization_members: { organization: "admin" },
  buy_credits: { organization: "admin" },
  see_audit_log: { organization: "admin" },
  manage_webhooks: { organization: "admin" },
  manage_organization_admins: { organization: "owner" },
  export_organization: { organization: "owner" },
  close_organization: { organization: "owner" },
};

const organizationRank: Readonly<Record<OrganizationRole, number>> = { member: 1, admin: 2, owner: 3 };
const teamRank: Readonly<Record<TeamRole, number>> = { member: 1, admin: 2 };

/** Reports whether these roles permit the action. */
export function may(roles: Roles, action: Action): boolean {
  const least = leastRoles[action];
  if (organizationRank[roles.organization] >= organizationRank[least.organization]) return true;
  if (least.team === undefined || roles.team === undefined || roles.team === null) return false;
  return teamRank[roles.team] >= teamRank[least.team];
}

/** Describes the roles that permit an action, for the error message. */
export function describeWhoMay(action: Action): string {
  const { organization, team } = leastRoles[action];
  const above = { member: "members", admin: "admins and owners", owner: "owners" }[organization];
  return team === undefined
    ? `${above} of the organization`
    : `${team === "admin" ? "admins" : "members"} of the team and ${above} of the organization`;
}

/** Reports whether a change of the role in the organization takes permissions away. */
export function isLowered(before: OrganizationRole, after: OrganizationRole): boolean {
  return organizationRank[after] < organizationRank[before];
}

/** Reports whether these roles can grant or revoke this role in the organization. */
export function canGrantOrganizationRole(roles: Roles, role: OrganizationRole): boolean {
  return may(roles, role === "member" ? "manage_organization_members" : "manage_organization_admins");
}

/** Reports whether these roles can grant this role in the team. A user can't grant more than they have. */
export function canGrantTeamRole(roles: Roles, role: TeamRole): boolean {
  return may(roles, "manage_team_members") && teamRank[effectiveTeamRole(roles) ?? "member"] >= teamRank[role];
}

/** Returns the effective team role. Organization admins and owners are admins of every team. */
export function effectiveTeamRole({ organization, team }: Roles): TeamRole | null {
  return organization === "member" ? (team ?? null) : "admin";
}
