import { hash } from "node:crypto";
import type { KeyImport } from "@tollgate/db/import/import-key.ts";
import type { LitellmRow, LitellmRows } from "@tollgate/db/import/read-litellm.ts";
import {
  budgetOf,
  type ImportNotes,
  idFor,
  listOf,
  modelsOf,
  momentOf,
  objectOf,
  pairsOf,
  textOf,
  warnUnknownColumns,
} from "./convert-fields.ts";
import { budgetColumns, convertLimits } from "./convert-limits.ts";
import { type ConvertedRecord, findBudget, organizationIdOf, teamIdOf, teamlessIdOf } from "./convert-organizations.ts";

const columns = new Set(
  (
    "token key_name key_alias soft_budget_cooldown spend expires models aliases user_id team_id metadata blocked tpm_limit " +
    "rpm_limit max_parallel_requests max_budget budget_duration budget_reset_at allowed_routes budget_id organization_id " +
    "created_at created_by updated_at updated_by last_active rotation_count last_rotation_at model_spend"
  ).split(" "),
);
const routeGroups: ReadonlyMap<string, string> = new Map([
  ["llm_api_routes", "inference"],
  ["info_routes", "information"],
  ["management_routes", "management"],
]);
const MAX_NAME_LENGTH = 100;
const HASH = /^[0-9a-f]{64}$/i;
const DASHBOARD_TEAM = "litellm-dashboard";

export interface ConvertedKey extends ConvertedRecord<KeyImport> {
  /** User ID of the owner in LiteLLM; null if the key has no owner. */
  readonly user: string | null;
}

/** A key that is not imported, with the reason. */
interface SkippedKey {
  readonly source: string;
  readonly name: string;
  readonly reason: string;
}

/** Returns a key's LiteLLM team, if that team exists, and the team's organization. */
export function teamOfKey(rows: LitellmRows, row: LitellmRow): { team: string | null; organization: string | null } {
  const named = textOf(row, "team_id");
  const team = rows.teams.find(({ team_id }) => named !== null && team_id === named);
  if (team !== undefined) return { team: named, organization: textOf(team, "organization_id") };
  const organization = textOf(row, "organization_id");
  const isThere = rows.organizations.some(({ organization_id }) => organization_id === organization);
  return { team: null, organization: isThere ? organization : null };
}

/** Reports whether a user created the key. LiteLLM's dashboard also creates keys for its login sessions. */
export const isOrdinaryKey = (row: LitellmRow): boolean => textOf(row, "team_id") !== DASHBOARD_TEAM;

export function convertKeys(rows: LitellmRows, hasAccount: (user: string) => boolean) {
  const carried: ConvertedKey[] = [];
  const left: SkippedKey[] = [];
  for (const row of rows.keys) {
    const tokenHash = hashOf(String(row.token));
    const name = textOf(row, "key_alias") ?? textOf(row, "key_name") ?? "key";
    if (!isOrdinaryKey(row)) left.push({ source: shorten(row), name, reason: "LiteLLM console session" });
    else if (tokenHash === null)
      left.push({ source: shorten(row), name, reason: "the token is neither a hash nor a key" });
    else carried.push(convertKey(rows, row, { tokenHash, name, hasAccount }));
  }
  return { carried, left };
}

function convertKey(
  rows: LitellmRows,
  row: LitellmRow,
  facts: { readonly tokenHash: Buffer; readonly name: string; readonly hasAccount: (user: string) => boolean },
): ConvertedKey {
  const { tokenHash, name, hasAccount } = facts;
  const remarks: ImportNotes = { notes: [], warnings: [] };
  const shared = findBudget(rows, row);
  const { team, organization } = teamOfKey(rows, row);
  warnUnknownColumns(row, columns, remarks);
  warnUnknownColumns(shared, budgetColumns, remarks, "budget.");
  if (team === null && textOf(row, "team_id") !== null) remarks.warnings.push("the key's team no longer exists");
  const user = textOf(row, "user_id");
  const { metadata, ...limits } = convertLimits(row, shared, remarks);
  const isNobodys = user !== null && !hasAccount(user);
  const budget = row.max_budget === null || row.max_budget === undefined ? shared : row;
  return {
    source: shorten(row),
    ...remarks,
    user,
    wanted: {
      id: idFor("key", tokenHash.toString("hex")),
      organizationId: organizationIdOf(organization),
      teamId: team === null ? teamlessIdOf(organization) : teamIdOf(team),
      tokenHash,
      prefix: "sk-",
      lastFour: /\.\.\.(.{1,4})$/.exec(textOf(row, "key_name") ?? "")?.[1] ?? "",
      former: formerOf(rows, row),
      name: name.slice(0, MAX_NAME_LENGTH),
      isDisabled: row.blocked === true,
      expiresAt: momentOf(row, "expires"),
      models: modelsOfKey(rows, row, team, user),
      allowedRoutes: routesOf(row, remarks),
      aliases: pairsOf<string>(objectOf(row, "aliases"), "string"),
      ...limits,
      metadata: isNobodys ? { ...metadata, litellm_user_id: user } : metadata,
      budget: budgetOf(budget, row, remarks),
    },
  };
}

/** Returns the models of a key. A key that has neither a team nor models inherits its user's models. */
function modelsOfKey(rows: LitellmRows, row: LitellmRow, team: string | null, user: string | null): readonly string[] {
  const own = modelsOf(row);
  const owner = rows.users.find(({ user_id }) => user !== null && user_id === user);
  if (own.length > 0 || listOf(row, "models").length > 0 || team !== null || owner === undefined) return own;
  return modelsOf(owner);
}

/** Maps LiteLLM route groups to Tollgate route groups. Other routes are paths, which are the same in both products. */
function routesOf(row: LitellmRow, { warnings }: ImportNotes): readonly string[] | null {
  const routes = listOf(row, "allowed_routes");
  const unknown = routes.filter((route) => !routeGroups.has(route) && !route.startsWith("/"));
  if (unknown.length > 0) warnings.push(`unknown allowed_routes have no effect: ${unknown.join(", ")}`);
  return routes.length === 0 ? null : [...new Set(routes.map((route) => routeGroups.get(route) ?? route))];
}

function formerOf(rows: LitellmRows, row: LitellmRow): KeyImport["former"] {
  const former = rows.formerKeys.find(({ active_token_id }) => active_token_id === row.token);
  if (former === undefined) return null;
  const tokenHash = hashOf(String(former.token));
  const validUntil = momentOf(former, "revoke_at");
  return tokenHash === null || validUntil === null ? null : { tokenHash, validUntil };
}

/** Returns the SHA-256 hash of a secret. LiteLLM stores the hash in hex. Very old versions stored the secret itself. */
function hashOf(token: string): Buffer | null {
  if (HASH.test(token)) return Buffer.from(token, "hex");
  return token.startsWith("sk-") ? Buffer.from(hash("sha256", token, "hex"), "hex") : null;
}

/** Returns a hash prefix that identifies the row without revealing a secret. */
function shorten(row: LitellmRow): string {
  const token = String(row.token);
  return HASH.test(token) ? `${token.slice(0, 12)}…` : "(stored in plain text)";
}
