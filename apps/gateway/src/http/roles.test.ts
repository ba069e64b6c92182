import type { Database } from "@tollgate/db/connect.ts";
import { insertKey } from "@tollgate/db/keys/insert-key.ts";
import { runAsAdministrator, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../test-gateway.fixture.ts";
import { test } from "./routes/chat-gateway.fixture.ts";

const roles = [
  "master key",
  "platform administrator",
  "platform administrator with management routes",
  "platform administrator of another organization",
  "platform administrator who joined the organization later",
  "organization owner",
  "organization admin",
  "team admin",
  "team member",
  "former administrator",
  "no user",
] as const;
type RoleName = (typeof roles)[number];

/** Three teams: the team of every key in the table, another team of its organization, and a foreign team. */
interface Teams {
  readonly own: string;
  readonly other: string;
  readonly foreign: string;
}

type Ask = (gateway: TestGateway, key: string, teams: Teams) => Promise<unknown>;

const statusOf =
  (path: string | ((teams: Teams) => string), method = "GET"): Ask =>
  async ({ url }, key, teams) => {
    const target = typeof path === "string" ? path : path(teams);
    const answer = await fetch(url + target, { method, headers: { "x-gw-api-key": key } });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return error === undefined ? answer.status : `${answer.status} ${error.code}`;
  };

/** Reports whether the response to a route contains the upstream's URL. */
const showsUrl =
  (path: string, body?: object): Ask =>
  async ({ url, post }, key) => {
    const headers = { "x-gw-api-key": key };
    const answer = body === undefined ? await fetch(url + path, { headers }) : await post(path, body, headers);
    return (await answer.text()).includes("127.0.0.1");
  };

const messages = [{ role: "user", content: "hello" }];
const preview = { call_type: "completion", request_body: { model: "beta", messages } };
const notMember = "403 not_team_member";
const noRoute = "403 route_not_allowed";
const adminOnly = "403 admin_only";

/** The expected results in the order of `roles`. */
const table: readonly (readonly [string, Ask, ...unknown[]])[] = [
  ["GET /models", statusOf("/models"), ...Array(roles.length).fill(200)],
  ["lists every model with scope=expand", expands, ...Array(8).fill(true), false, false, false],
  ["GET /models of the key's team", statusOf(({ own }) => `/models?team_id=${own}`), ...Array(roles.length).fill(200)],
  [
    "GET /models of another team of the organization",
    statusOf(({ other }) => `/v1/models?team_id=${other}`),
    ...[200, 200, 200, notMember, notMember, 200, 200, notMember, notMember, notMember, notMember],
  ],
  [
    "GET /models of a team of another organization",
    statusOf(({ foreign }) => `/models?team_id=${foreign}`),
    ...[200, 200, 200, ...Array(8).fill(notMember)],
  ],
  [
    "GET /models of an unknown team",
    statusOf("/models?team_id=team_00000000000000000000000000"),
    ...Array(roles.length).fill("404 not_found"),
  ],
  ["GET /model/info shows URLs", showsUrl("/model/info"), true, true, true, ...Array(8).fill(false)],
  ["GET /v1/model/info shows URLs", showsUrl("/v1/model/info"), true, true, true, ...Array(8).fill(false)],
  [
    "POST /utils/transform_request shows URLs",
    showsUrl("/utils/transform_request", preview),
    ...[true, true, true, ...Array(8).fill(false)],
  ],
  ["GET /health", statusOf("/health"), ...Array(roles.length).fill(200)],
  ["GET /health shows URLs", showsUrl("/health"), true, true, true, ...Array(8).fill(false)],
  ["GET /metrics", scrapes("/metrics"), 200, 200, 200, ...Array(8).fill(403)],
  [
    "GET /cache/ping",
    statusOf("/cache/ping"),
    ...["400 invalid_request", noRoute, "400 invalid_request", ...Array(8).fill(noRoute)],
  ],
  ["POST /health/drain", statusOf("/health/drain", "POST"), ...[200, adminOnly, 200, ...Array(8).fill(adminOnly)]],
];

test("each role can use the routes of its row in the table", async ({ start, database, upstreams }) => {
  const platform = database.connect("tollgate_platform");
  const tenant = await addTenant(platform, { team: { models: ["beta"] } });
  const foreign = await addTenant(platform);
  const teams = { own: tenant.teamId, other: await addTeam(platform, tenant), foreign: foreign.teamId };
  const keys = await addKeys(platform, tenant);
  await joinElsewhere(platform, foreign, ["organization owner", "team admin"]);
  const gateway = await start({ database: database.connect("tollgate_gateway") });
  const found: unknown[] = [];
  for (const [route, ask] of table) {
    const results: unknown[] = [];
    for (const role of roles) results.push(await ask(gateway, keys[role], teams));
    found.push([route, ...results]);
  }
  expect(found).toEqual(table.map(([route, _ask, ...expected]) => [route, ...expected]));

  // The operator pays for calls of providers, so only keys that see what administrators see can cause them.
  upstreams.beta.replies(200, chatAnswer());
  const calls: unknown[] = [];
  for (const role of roles) {
    // Each key has a gateway of its own, because a gateway reuses a result for ten seconds.
    const other = await start({ database: database.connect("tollgate_gateway") });
    const before = upstreams.beta.requests.length;
    calls.push([role, await statusOf("/health?model=beta")(other, keys[role], teams)]);
    calls.push(upstreams.beta.requests.length - before);
  }
  expect(calls).toEqual(roles.flatMap((role, index) => [[role, 200], index < 3 ? 1 : 0]));
});

/** Reports whether `scope=expand` lists a model that the key's team cannot call. */
async function expands({ url }: TestGateway, key: string): Promise<unknown> {
  const answer = await fetch(`${url}/models?scope=expand`, { headers: { "x-gw-api-key": key } });
  const { data } = (await answer.json()) as { data: readonly { id: string }[] };
  return data.some(({ id }) => id === "alpha");
}

function scrapes(path: string): Ask {
  return async ({ url }, key) => (await fetch(url + path, { headers: { "x-gw-api-key": key } })).status;
}

async function addTeam(platform: Database, { organizationId }: Tenant): Promise<string> {
  const id = makePrefixedId("team", Date.now());
  await runAsAdministrator(platform, (transaction) =>
    transaction.insertInto("teams").values({ id, organization_id: organizationId, name: "Other" }).execute(),
  );
  return id;
}

interface UserFacts {
  readonly role?: "user" | "admin";
  readonly status?: "active" | "disabled";
  /** The role in the organization; null if the user is not a member. */
  readonly inOrganization?: "owner" | "admin" | null;
  /** Time of joining the organization, if it isn't that of the key. */
  readonly joinedAt?: Date;
  readonly inTeam?: "admin" | "member";
  readonly allowedRoutes?: readonly string[];
}

/** The creators of the keys. The other keys in the table have no creator. */
const users: Partial<Record<RoleName, UserFacts>> = {
  "platform administrator": { role: "admin" },
  "platform administrator with management routes": {
    role: "admin",
    allowedRoutes: ["inference", "information", "management"],
  },
  // The members of this organization have the key.
  "platform administrator of another organization": { role: "admin", inOrganization: null },
  "platform administrator who joined the organization later": {
    role: "admin",
    joinedAt: new Date(Date.now() + 3_600_000),
  },
  "organization owner": { inOrganization: "owner" },
  "organization admin": { inOrganization: "admin" },
  "team admin": { inTeam: "admin" },
  "team member": { inTeam: "member" },
  "former administrator": { role: "admin", status: "disabled" },
};

/** Makes the users of these roles owners of another organization and members of its team. */
async function joinElsewhere(platform: Database, foreign: Tenant, names: readonly RoleName[]): Promise<void> {
  await runAsAdministrator(platform, async (transaction) => {
    const found = await transaction.selectFrom("users").select("id").where("name", "in", names).execute();
    for (const { id } of found) {
      const member = { organization_id: foreign.organizationId, user_id: id };
      await transaction
        .insertInto("organization_members")
        .values({ ...member, role: "owner" })
        .execute();
      await transaction
        .insertInto("team_members")
        .values({ ...member, team_id: foreign.teamId, role: "member" })
        .execute();
    }
  });
}

/** Creates a key for each role in the tenant's team, with a user of its own. */
async function addKeys(platform: Database, tenant: Tenant): Promise<Record<RoleName, string>> {
  const keys: Partial<Record<RoleName, string>> = { "master key": MASTER_KEY, "no user": tenant.apiKey };
  await runAsAdministrator(platform, async (transaction) => {
    for (const [role, facts] of Object.entries(users)) {
      keys[role as RoleName] = await addKey(transaction, tenant, role, facts);
    }
  });
  return keys as Record<RoleName, string>;
}

async function addKey(
  transaction: TenantTransaction,
  { organizationId, teamId }: Tenant,
  name: string,
  { role = "user", status = "active", ...facts }: UserFacts,
): Promise<string> {
  const { id: userId } = await transaction
    .insertInto("users")
    .values({ email: `${name.replaceAll(" ", "-")}@example.com`, name, role, status })
    .returning("id")
    .executeTakeFirstOrThrow();
  const member = { organization_id: organizationId, user_id: userId };
  const { inOrganization = "member" } = facts;
  if (inOrganization !== null) {
    await transaction
      .insertInto("organization_members")
      .values({ ...member, role: inOrganization, ...(facts.joinedAt && { joined_at: facts.joinedAt }) })
      .execute();
  }
  if (facts.inTeam !== undefined) {
    await transaction
      .insertInto("team_members")
      .values({ ...member, team_id: teamId, role: facts.inTeam })
      .execute();
  }
  const apiKey = makeApiKey();
  await insertKey(transaction, {
    id: makePrefixedId("key", Date.now()),
    name,
    prefix: apiKey.slice(0, 8),
    lastFour: apiKey.slice(-4),
    tokenHash: hashApiKey(apiKey),
    organizationId,
    teamId,
    userId,
    allowedRoutes: facts.allowedRoutes ?? null,
  });
  return apiKey;
}
