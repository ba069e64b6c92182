import type { OrganizationImport } from "@tollgate/db/import/import-organization.ts";
import type { PersonImport } from "@tollgate/db/import/import-person.ts";
import type { TeamImport } from "@tollgate/db/import/import-team.ts";
import type { LitellmRows } from "@tollgate/db/import/read-litellm.ts";
import { type ConvertedKey, convertKeys, isOrdinaryKey, teamOfKey } from "./convert-keys.ts";
import { type ConvertedModel, convertModels } from "./convert-models.ts";
import { type ConvertedRecord, convertOrganizations, convertTeams } from "./convert-organizations.ts";
import { convertPeople } from "./convert-people.ts";

/** All records to import, in dependency order, and all skipped records. */
export interface ImportPlan {
  readonly models: readonly ConvertedModel[];
  readonly organizations: readonly ConvertedRecord<OrganizationImport>[];
  readonly teams: readonly ConvertedRecord<TeamImport>[];
  readonly people: readonly ConvertedRecord<PersonImport>[];
  readonly keys: readonly ConvertedKey[];
  readonly emails: ReadonlyMap<string, string>;
  readonly left: readonly { readonly kind: string; readonly name: string; readonly reason: string }[];
}

/** Converts LiteLLM's rows into an import plan. */
export function planImport(rows: LitellmRows, organizationName: string, saltKey: string | null): ImportPlan {
  const { carried: models, left: leftModels } = convertModels(rows, saltKey);
  const { carried: people, left: leftPeople, emails } = convertPeople(rows);
  const { carried: keys, left: leftKeys } = convertKeys(rows, (user) => emails.has(user));
  const places = rows.keys.filter(isOrdinaryKey).map((key) => teamOfKey(rows, key));
  const teamless = new Set(places.filter(({ team }) => team === null).map(({ organization }) => organization));
  const others = [
    { kind: "customers", rows: rows.endUsers, reason: "end-user limits are not supported" },
    { kind: "projects", rows: rows.projects, reason: "projects are not supported; their keys are imported" },
  ];
  return {
    models,
    organizations: convertOrganizations(rows, organizationName),
    teams: convertTeams(rows, teamless),
    people,
    keys,
    emails,
    left: [
      ...leftModels.map(({ name, reason }) => ({ kind: "model", name, reason })),
      ...leftPeople.map(({ source, reason }) => ({ kind: "user", name: source, reason })),
      ...leftKeys.map(({ name, source, reason }) => ({ kind: "key", name: `${name} ${source}`, reason })),
      ...others
        .filter(({ rows: list }) => list.length > 0)
        .map(({ kind, rows: list, reason }) => ({ kind, name: String(list.length), reason })),
    ],
  };
}
