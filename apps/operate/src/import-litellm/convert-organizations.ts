import type { OrganizationImport } from "@tollgate/db/import/import-organization.ts";
import type { TeamImport } from "@tollgate/db/import/import-team.ts";
import type { LitellmRow, LitellmRows } from "@tollgate/db/import/read-litellm.ts";
import {
  budgetOf,
  type ImportNotes,
  idFor,
  limitOf,
  modelsOf,
  nameFor,
  objectOf,
  pairsOf,
  textOf,
  warnUnknownColumns,
} from "./convert-fields.ts";
import { budgetColumns, convertLimits } from "./convert-limits.ts";

/** A record to import, with notes and warnings. */
export interface ConvertedRecord<Wanted> extends ImportNotes {
  /** ID in LiteLLM. */
  readonly source: string;
  readonly wanted: Wanted;
}

const organizationColumns = new Set(
  "organization_id organization_alias budget_id metadata models spend model_spend created_at created_by updated_at updated_by".split(
    " ",
  ),
);
const teamColumns = new Set(
  (
    "team_id team_alias organization_id admins members members_with_roles metadata max_budget spend models " +
    "max_parallel_requests tpm_limit rpm_limit budget_duration budget_reset_at blocked created_at updated_at " +
    "model_spend model_id"
  ).split(" "),
);

/** Placeholder organization ID for teams and keys that have no organization. */
const NO_ORGANIZATION = "";
const TEAMLESS = "Keys without a team";

export const organizationIdOf = (source: string | null): string => idFor("org", source ?? NO_ORGANIZATION);
export const teamIdOf = (source: string): string => idFor("team", source);
/** Returns the ID of the team for an organization's keys that have no team, because every Tollgate key needs a team. */
export const teamlessIdOf = (organization: string | null): string => idFor("team", `teamless:${organization ?? ""}`);

export function convertOrganizations(
  rows: LitellmRows,
  unnamed: string,
): readonly ConvertedRecord<OrganizationImport>[] {
  const taken = new Set([unnamed.toLowerCase()]);
  const carried = rows.organizations.map((row): ConvertedRecord<OrganizationImport> => {
    const source = String(row.organization_id);
    const remarks: ImportNotes = { notes: [], warnings: [] };
    const shared = findBudget(rows, row);
    warnUnknownColumns(row, organizationColumns, remarks);
    warnUnknownColumns({ metadata: row.metadata }, new Set(), remarks);
    warnUnknownColumns(shared, budgetColumns, remarks, "budget.");
    if (limitOf(shared, "max_parallel_requests") !== null) {
      remarks.warnings.push("not imported: budget.max_parallel_requests");
    }
    return {
      source,
      ...remarks,
      wanted: {
        id: organizationIdOf(source),
        name: nameFor(textOf(row, "organization_alias") ?? source, source, taken),
        models: modelsOf(row),
        rpm: limitOf(shared, "rpm_limit"),
        tpm: limitOf(shared, "tpm_limit"),
        budget: budgetOf(shared, row, remarks),
      },
    };
  });
  const isNeeded =
    rows.teams.some((team) => textOf(team, "organization_id") === null) ||
    rows.keys.some((key) => textOf(key, "organization_id") === null);
  if (!isNeeded) return carried;
  const rest = { id: organizationIdOf(null), name: unnamed, models: [], rpm: null, tpm: null, budget: null };
  const notes = ["for teams and keys without an organization in LiteLLM"];
  return [{ source: NO_ORGANIZATION, wanted: rest, notes, warnings: [] }, ...carried];
}

/** Converts the existing teams and adds a team for each organization that has keys without a team. */
export function convertTeams(
  rows: LitellmRows,
  teamlessOrganizations: ReadonlySet<string | null>,
): readonly ConvertedRecord<TeamImport>[] {
  const takenIn = new Map<string, Set<string>>();
  const takenOf = (organizationId: string): Set<string> => {
    const taken = takenIn.get(organizationId) ?? new Set<string>();
    takenIn.set(organizationId, taken);
    return taken;
  };
  const teams = rows.teams.map((row): ConvertedRecord<TeamImport> => {
    const source = String(row.team_id);
    const remarks: ImportNotes = { notes: [], warnings: [] };
    warnUnknownColumns(row, teamColumns, remarks);
    const organizationId = organizationIdOf(textOf(row, "organization_id"));
    const aliases = rows.teamAliases.find(({ id }) => row.model_id !== null && id === row.model_id);
    return {
      source,
      ...remarks,
      wanted: {
        id: teamIdOf(source),
        organizationId,
        name: nameFor(textOf(row, "team_alias") ?? source, source, takenOf(organizationId)),
        models: modelsOf(row),
        modelAliases: pairsOf<string>(aliases === undefined ? {} : objectOf(aliases, "aliases"), "string"),
        ...convertLimits(row, {}, remarks),
        isBlocked: row.blocked === true,
        budget: budgetOf(row, row, remarks),
      },
    };
  });
  const extra = [...teamlessOrganizations].map((organization): ConvertedRecord<TeamImport> => {
    const organizationId = organizationIdOf(organization);
    const none = { rpm: null, tpm: null, maxParallel: null, modelRpm: {}, modelTpm: {} };
    return {
      source: `teamless:${organization ?? ""}`,
      notes: ["for keys without a team in LiteLLM"],
      warnings: [],
      wanted: {
        id: teamlessIdOf(organization),
        organizationId,
        name: nameFor(TEAMLESS, organization ?? "litellm", takenOf(organizationId)),
        models: [],
        modelAliases: {},
        tags: [],
        metadata: {},
        ...none,
        isBlocked: false,
        budget: null,
      },
    };
  });
  return [...teams, ...extra];
}

/** Returns the budget that a record references, or an empty row. */
export function findBudget(rows: LitellmRows, row: LitellmRow): LitellmRow {
  const id = textOf(row, "budget_id");
  return rows.budgets.find(({ budget_id }) => id !== null && budget_id === id) ?? {};
}
