import type { PersonImport } from "@tollgate/db/import/import-person.ts";
import type { LitellmRow, LitellmRows } from "@tollgate/db/import/read-litellm.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { budgetOf, type ImportNotes, modelsOf, textOf, warnUnknownColumns } from "./convert-fields.ts";
import { isOrdinaryKey, teamOfKey } from "./convert-keys.ts";
import { type ConvertedRecord, organizationIdOf, teamIdOf, teamlessIdOf } from "./convert-organizations.ts";

const columns = new Set(
  (
    "user_id user_alias team_id organization_id password teams user_role max_budget spend user_email models metadata " +
    "budget_duration budget_reset_at model_spend created_at updated_at"
  ).split(" "),
);
const MAX_NAME_LENGTH = 100;

interface ConvertedPeople {
  readonly carried: readonly ConvertedRecord<PersonImport>[];
  /** Users without an email address, who can't have an account. */
  readonly left: readonly { readonly source: string; readonly reason: string }[];
  /** Email addresses by LiteLLM user ID. */
  readonly emails: ReadonlyMap<string, string>;
}

export function convertPeople(rows: LitellmRows): ConvertedPeople {
  const emails = new Map(
    rows.users.flatMap((row): [string, string][] => {
      const email = normalizeEmail(textOf(row, "user_email") ?? "");
      return email === null ? [] : [[String(row.user_id), email]];
    }),
  );
  const carried: ConvertedRecord<PersonImport>[] = [];
  const left: { source: string; reason: string }[] = [];
  for (const row of rows.users) {
    const source = String(row.user_id);
    const email = emails.get(source);
    if (email === undefined)
      left.push({ source, reason: "no email address, so this user is not imported; their keys still are" });
    else if (carried.some(({ wanted }) => wanted.email === email))
      left.push({ source, reason: `duplicate of ${email}` });
    else carried.push(convertPerson(rows, row, source, email));
  }
  return { carried, left, emails };
}

function convertPerson(
  rows: LitellmRows,
  row: LitellmRow,
  source: string,
  email: string,
): ConvertedRecord<PersonImport> {
  const remarks: ImportNotes = { notes: [], warnings: [] };
  warnUnknownColumns(row, columns, remarks);
  const role = textOf(row, "user_role");
  if (role === "proxy_admin") {
    remarks.notes.push(`LiteLLM administrator; to grant the role here, run  tollgate admin create --email ${email}`);
  } else if (role?.endsWith("_viewer") || role?.endsWith("_view_only")) {
    remarks.warnings.push(`has role ${role} in LiteLLM; members in Tollgate can create keys`);
  }
  const teams = teamsOf(rows, source);
  const teamless = rows.keys.filter(
    (key) => key.user_id === source && isOrdinaryKey(key) && teamOfKey(rows, key).team === null,
  );
  const homes = [...new Set(teamless.map((key) => teamOfKey(rows, key).organization))];
  const ownTeams = homes.map((organization) => ({
    id: teamlessIdOf(organization),
    organizationId: organizationIdOf(organization),
    role: "member" as const,
  }));
  const budget = budgetOf(row, row, remarks);
  if (budget !== null && homes.length === 0) {
    remarks.warnings.push("max_budget not imported: it applies to keys without a team, and this user has no such keys");
  }
  if (modelsOf(row).length > 0 && teamless.length === 0) {
    remarks.warnings.push("models not imported: they apply to keys without a team, and this user has no such keys");
  }
  const roles = new Map<string, "admin" | "member">();
  for (const { organizationId } of [...teams, ...ownTeams]) roles.set(organizationId, "member");
  for (const member of rows.organizationMembers.filter(({ user_id }) => user_id === source)) {
    const isAdmin = member.user_role === "org_admin";
    roles.set(organizationIdOf(String(member.organization_id)), isAdmin ? "admin" : "member");
    if (textOf(member, "budget_id") !== null) remarks.warnings.push("the organization member's budget is not imported");
  }
  const inTeams = rows.teamMembers.filter(({ user_id }) => user_id === source);
  if (inTeams.some((member) => textOf(member, "budget_id") !== null)) {
    remarks.warnings.push("the team member's budget is not imported; set a budget on the user's key instead");
  }
  return {
    source,
    ...remarks,
    wanted: {
      email,
      name: (textOf(row, "user_alias") ?? email.split("@")[0] ?? email).slice(0, MAX_NAME_LENGTH),
      organizations: [...roles].map(([id, organizationRole]) => ({ id, role: organizationRole })),
      teams: [...teams, ...ownTeams],
      budgets: budget === null ? [] : homes.map((home) => ({ organizationId: organizationIdOf(home), budget })),
    },
  };
}

/** Returns a user's teams, according to each team's member list. */
function teamsOf(rows: LitellmRows, user: string): PersonImport["teams"] {
  return rows.teams.flatMap((team) => {
    const members = Array.isArray(team.members_with_roles) ? (team.members_with_roles as LitellmRow[]) : [];
    const member = members.find(({ user_id }) => user_id === user);
    if (member === undefined) return [];
    const organizationId = organizationIdOf(textOf(team, "organization_id"));
    const role = member.role === "admin" ? ("admin" as const) : ("member" as const);
    return [{ id: teamIdOf(String(team.team_id)), organizationId, role }];
  });
}
