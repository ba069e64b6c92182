import type { OrganizationRole, TeamRole } from "./roles.ts";

/** Where a person stands in an organization, and in the team that is meant, if one is. */
export interface Roles {
  readonly organization: OrganizationRole;
  /** Null or absent: not a member of that team, or no team is meant. */
  readonly team?: TeamRole | null;
}

/** What roles decide. Things that belong to one person, such as a key they made, are decided where they are handled. */
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
  /** Also allowed to those with this role in the team itself. */
  readonly team?: TeamRole;
}

/** The least role for each action; it also allows whoever stands above it. */
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

/** Whether someone who stands there may do this. */
export function may(roles: Roles, action: Action): boolean {
  const least = leastRoles[action];
  if (organizationRank[roles.organization] >= organizationRank[least.organization]) return true;
  if (least.team === undefined || roles.team === undefined || roles.team === null) return false;
  return teamRank[roles.team] >= teamRank[least.team];
}

/** Who may do this, in words for somebody who may not. */
export function describeWhoMay(action: Action): string {
  const { organization, team } = leastRoles[action];
  const above = { member: "members", admin: "admins and owners", owner: "owners" }[organization];
  return team === undefined
    ? `${above} of the organization`
    : `${team === "admin" ? "admins" : "members"} of the team and ${above} of the organization`;
}

/** Whether they may give this role in the organization, or take it from somebody who has it. */
export function canGrantOrganizationRole(roles: Roles, role: OrganizationRole): boolean {
  return may(roles, role === "member" ? "manage_organization_members" : "manage_organization_admins");
}

/** Whether they may give this role in the team: nobody gives more than they have themselves. */
export function canGrantTeamRole(roles: Roles, role: TeamRole): boolean {
  return may(roles, "manage_team_members") && teamRank[effectiveTeamRole(roles) ?? "member"] >= teamRank[role];
}

/** What a person is in a team: those above a team's administrators act as such in every team. */
export function effectiveTeamRole({ organization, team }: Roles): TeamRole | null {
  return organization === "member" ? (team ?? null) : "admin";
}
