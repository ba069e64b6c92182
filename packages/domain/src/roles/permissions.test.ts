import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Action,
  canGrantOrganizationRole,
  canGrantTeamRole,
  effectiveTeamRole,
  may,
  type Roles,
} from "./permissions.ts";
import type { OrganizationRole, TeamRole } from "./roles.ts";

const organizationRoles: readonly OrganizationRole[] = ["member", "admin", "owner"];
const teamRoles: readonly (TeamRole | null)[] = [null, "member", "admin"];
const standings = organizationRoles.flatMap((organization) => teamRoles.map((team): Roles => ({ organization, team })));
const organizationRole = fc.constantFrom(...organizationRoles);
const roles = fc.constantFrom(...standings);
const action = fc.constantFrom<Action>(
  "see_credit",
  "see_team",
  "see_all_teams",
  "see_all_logs",
  "create_key",
  "manage_team_keys",
  "create_team",
  "delete_team",
  "edit_team",
  "manage_team_members",
  "edit_organization",
  "manage_organization_members",
  "buy_credits",
  "see_audit_log",
  "manage_webhooks",
  "manage_organization_admins",
  "export_organization",
  "close_organization",
);

/**
 * Columns are in the order of `standings`: member, team member, team admin; then the same for admins and owners of the
 * organization.
 */
const table: Readonly<Partial<Record<Action, string>>> = {
  see_credit: "yyy yyy yyy",
  see_all_logs: "--- yyy yyy",
  create_key: "-yy yyy yyy",
  manage_team_keys: "--y yyy yyy",
  create_team: "--- yyy yyy",
  delete_team: "--- yyy yyy",
  edit_team: "--y yyy yyy",
  manage_team_members: "--y yyy yyy",
  edit_organization: "--- yyy yyy",
  manage_organization_members: "--- yyy yyy",
  buy_credits: "--- yyy yyy",
  manage_organization_admins: "--- --- yyy",
  close_organization: "--- --- yyy",
};

test("every cell of the role table matches the published table", () => {
  for (const [name, cells] of Object.entries(table)) {
    const found = standings.map((one) => (may(one, name as Action) ? "y" : "-")).join("");
    expect(`${name} ${found}`).toBe(`${name} ${cells.replaceAll(" ", "")}`);
  }
});

test("a higher role never loses a permission", () => {
  const rank = (one: Roles) => [organizationRoles.indexOf(one.organization), teamRoles.indexOf(one.team ?? null)];
  fc.assert(
    fc.property(roles, roles, action, (low, high, what) => {
      const [lowOrganization = 0, lowTeam = 0] = rank(low);
      const [highOrganization = 0, highTeam = 0] = rank(high);
      fc.pre(highOrganization >= lowOrganization && highTeam >= lowTeam);
      if (may(low, what)) expect(may(high, what)).toBe(true);
    }),
  );
});

test("a user cannot grant a role above their own", () => {
  fc.assert(
    fc.property(roles, organizationRole, (granter, role) => {
      if (canGrantOrganizationRole(granter, role)) {
        expect(organizationRoles.indexOf(role)).toBeLessThanOrEqual(organizationRoles.indexOf(granter.organization));
      }
    }),
  );
  fc.assert(
    fc.property(roles, fc.constantFrom<TeamRole>("member", "admin"), (granter, role) => {
      if (!canGrantTeamRole(granter, role)) return;
      expect(teamRoles.indexOf(role)).toBeLessThanOrEqual(teamRoles.indexOf(effectiveTeamRole(granter)));
    }),
  );
});

test("only owners can create administrators and owners, and a team member cannot invite anyone", () => {
  expect(canGrantOrganizationRole({ organization: "admin" }, "admin")).toBe(false);
  expect(canGrantOrganizationRole({ organization: "admin" }, "member")).toBe(true);
  expect(canGrantOrganizationRole({ organization: "owner" }, "owner")).toBe(true);
  expect(canGrantTeamRole({ organization: "member", team: "member" }, "member")).toBe(false);
  expect(canGrantTeamRole({ organization: "member", team: "admin" }, "admin")).toBe(true);
});
