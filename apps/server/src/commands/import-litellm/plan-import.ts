import type { BroughtOrganization } from "@tollgate/db/import/bring-organization.ts";
import type { BroughtPerson } from "@tollgate/db/import/bring-person.ts";
import type { BroughtTeam } from "@tollgate/db/import/bring-team.ts";
import type { LitellmRows } from "@tollgate/db/import/read-litellm.ts";
import { type CarriedKey, carryKeys, isOrdinaryKey, placeOfKey } from "./carry-keys.ts";
import { type CarriedModel, carryModels } from "./carry-models.ts";
import { carryPeople } from "./carry-people.ts";
import { type Carried, carryOrganizations, carryTeams } from "./carry-places.ts";

/** Everything that is to be here, in the order in which it can be made, and what is not brought. */
export interface ImportPlan {
  readonly models: readonly CarriedModel[];
  readonly organizations: readonly Carried<BroughtOrganization>[];
  readonly teams: readonly Carried<BroughtTeam>[];
  readonly people: readonly Carried<BroughtPerson>[];
  readonly keys: readonly CarriedKey[];
  readonly emails: ReadonlyMap<string, string>;
  readonly left: readonly { readonly kind: string; readonly name: string; readonly reason: string }[];
}

/** Turns what LiteLLM keeps into what is to be here. */
export function planImport(rows: LitellmRows, organizationName: string, saltKey: string | null): ImportPlan {
  const { carried: models, left: leftModels } = carryModels(rows, saltKey);
  const { carried: people, left: leftPeople, emails } = carryPeople(rows);
  const { carried: keys, left: leftKeys } = carryKeys(rows, (user) => emails.has(user));
  const places = rows.keys.filter(isOrdinaryKey).map((key) => placeOfKey(rows, key));
  const teamless = new Set(places.filter(({ team }) => team === null).map(({ organization }) => organization));
  const others = [
    { kind: "customers", rows: rows.endUsers, reason: "end-user limits are not supported" },
    { kind: "projects", rows: rows.projects, reason: "projects are not supported; their keys are imported" },
  ];
  return {
    models,
    organizations: carryOrganizations(rows, organizationName),
    teams: carryTeams(rows, teamless),
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
