import { randomBytes } from "node:crypto";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { removeBudget, setBudget } from "../leases/budgets.ts";
import { blockByOperator } from "../teams/block-by-operator.ts";
import { runAsAdministrator, runInOrganization, runUnauthenticated } from "../tenancy.ts";
import { changeUser } from "../users/change-user.ts";
import { changeKey, rotateKey } from "./change-key.ts";
import { findKeyByHash, selectKeyByHash } from "./find-key-by-hash.ts";
import { revokeKeys } from "./revoke-keys.ts";

test("finds a key by its hash and returns all the data needed to authorize a call", async ({ database }) => {
  const limits = { rpm: 60, tpm: 100_000, maxParallel: 4, modelRpm: { fast: 10 }, modelTpm: { fast: 5_000 } };
  const tenant = await addTenant(database.connect("tollgate_platform"), {
    organization: { name: "Acme", models: ["openai/*"], rpmLimit: 600 },
    team: {
      name: "Research",
      models: ["fast", "slow"],
      modelAliases: { quick: "fast" },
      tags: ["eu"],
      guardrails: ["pii"],
    },
    key: {
      name: "ci",
      userId: 42,
      models: ["fast"],
      aliases: { gpt: "fast" },
      allowedRoutes: ["/v1/models"],
      limits,
      metadata: { cost: 1 },
    },
  });
  expect(await findKeyByHash(database.connect("tollgate_gateway"), tenant.tokenHash)).toEqual({
    id: tenant.keyId,
    name: "ci",
    userId: 42,
    isOfAdministrator: false,
    disabledAt: null,
    revokedAt: null,
    expiresAt: null,
    graceEndsAt: null,
    models: ["fast"],
    allowedRoutes: ["/v1/models"],
    aliases: { gpt: "fast" },
    tags: [],
    guardrails: [],
    limits,
    metadata: { cost: 1 },
    team: {
      id: tenant.teamId,
      name: "Research",
      status: "active",
      blockedReason: null,
      models: ["fast", "slow"],
      modelAliases: { quick: "fast" },
      tags: ["eu"],
      guardrails: ["pii"],
      limits: { rpm: null, tpm: null, maxParallel: null, modelRpm: {}, modelTpm: {} },
    },
    organization: {
      id: tenant.organizationId,
      name: "Acme",
      status: "active",
      models: ["openai/*"],
      rpmLimit: 600,
      tpmLimit: null,
      logPrompts: false,
      priceList: [],
    },
    budgets: [],
  });
});

test("returns exactly the budgets of a key, its user, its team, and its organization", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const gateway = database.connect("tollgate_gateway");
  const tenant = await addTenant(platform, { key: { userId: 42 } });
  const { organizationId, teamId, keyId } = tenant;
  const budgets = [
    { scope: "key", scopeId: keyId, amount: 9_007_199_254_740_993n, period: "30d" },
    { scope: "organization", scopeId: organizationId, amount: 5n, period: "none" },
    { scope: "team", scopeId: teamId, amount: 3n, period: "monthly" },
    { scope: "user", scopeId: "42", amount: 4n, period: "daily" },
  ] as const;
  const others = [
    { scope: "user", scopeId: "43", amount: 1n, period: "none" },
    { scope: "team", scopeId: keyId, amount: 1n, period: "none" },
  ] as const;
  await runInOrganization(platform, organizationId, async (transaction) => {
    for (const budget of [...budgets, ...others]) await setBudget(transaction, { organizationId, ...budget });
  });
  expect((await findKeyByHash(gateway, tenant.tokenHash))?.budgets).toEqual(budgets);

  await runInOrganization(platform, organizationId, async (transaction) => {
    await setBudget(transaction, { ...budgets[0], organizationId, amount: 7n, period: "weekly" });
    for (const budget of budgets.slice(1)) await removeBudget(transaction, organizationId, budget);
  });
  const changed = [{ ...budgets[0], amount: 7n, period: "weekly" }];
  expect((await findKeyByHash(gateway, tenant.tokenHash))?.budgets).toEqual(changed);
});

test("the database rejects a budget for another organization and an invalid budget period", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const [own, foreign] = [await addTenant(platform), await addTenant(platform)];
  const set = (organizationId: string, period: string) =>
    runInOrganization(platform, own.organizationId, (transaction) =>
      setBudget(transaction, { organizationId, scope: "key", scopeId: own.keyId, amount: 1n, period }),
    );
  await expect(set(foreign.organizationId, "none")).rejects.toThrow("row-level security");
  await expect(set(own.organizationId, "sometimes")).rejects.toThrow("check constraint");
});

test("returns null for an unknown hash", async ({ database }) => {
  expect(await findKeyByHash(database.connect("tollgate_gateway"), randomBytes(32))).toBeNull();
});

test("returns a team's blocked status and reason", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const tenant = await addTenant(platform);
  await runInOrganization(platform, tenant.organizationId, (transaction) =>
    blockByOperator(transaction, tenant.teamId, new Date()),
  );
  const found = await findKeyByHash(database.connect("tollgate_gateway"), tenant.tokenHash);
  expect(found?.team).toMatchObject({ status: "blocked", blockedReason: "admin" });
});

test("finds a key by its previous secret until the grace period ends, and returns that time", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const gateway = database.connect("tollgate_gateway");
  const tenant = await addTenant(platform);
  const newHash = randomBytes(32);
  await rotate(platform, tenant, newHash, "1 hour");
  expect(await findKeyByHash(gateway, newHash)).toMatchObject({ id: tenant.keyId, graceEndsAt: null });
  const former = await findKeyByHash(gateway, tenant.tokenHash);
  expect(former?.id).toBe(tenant.keyId);
  expect(former?.graceEndsAt?.getTime()).toBeGreaterThan(Date.now());

  await rotate(platform, tenant, newHash, "-1 second");
  expect(await findKeyByHash(gateway, tenant.tokenHash)).toBeNull();
});

test("a key has its user's administrator role only with a secret that was issued after they got it", async ({
  database,
}) => {
  const platform = database.connect("tollgate_platform");
  const gateway = database.connect("tollgate_gateway");
  const bob = await runUnauthenticated(platform, (transaction) =>
    transaction
      .insertInto("users")
      .values({ email: "bob@example.org", name: "Bob" })
      .returning("id")
      .executeTakeFirstOrThrow(),
  );
  const tenant = await addTenant(platform, { key: { userId: bob.id } });
  const { organizationId } = tenant;
  const joinedAt = new Date(Date.now() - 3_600_000);
  await runAsAdministrator(platform, (transaction) =>
    transaction
      .insertInto("organization_members")
      .values({ organization_id: organizationId, user_id: bob.id, role: "member", joined_at: joinedAt })
      .execute(),
  );
  const setRole = (role: "user" | "admin") =>
    runAsAdministrator(platform, (transaction) => changeUser(transaction, bob.id, { role }, new Date()));
  const hasRole = async (hash: Buffer) => (await findKeyByHash(gateway, hash))?.isOfAdministrator;

  // The organization's owner knows this secret, because they created the key for Bob.
  await setRole("admin");
  expect(await hasRole(tenant.tokenHash)).toBe(false);
  const newHash = randomBytes(32);
  const secret = {
    tokenHash: newHash,
    prefix: "sk-tg-AA",
    lastFour: "aaaa",
    previousValidUntil: new Date(Date.now() + 3_600_000),
  };
  await runInOrganization(platform, organizationId, (transaction) =>
    rotateKey(transaction, organizationId, tenant.keyId, secret, new Date()),
  );
  expect([await hasRole(newHash), await hasRole(tenant.tokenHash)]).toEqual([true, false]);
  await setRole("user");
  expect(await hasRole(newHash)).toBe(false);
  // What was issued between two promotions doesn't get the role back.
  await setRole("admin");
  expect(await hasRole(newHash)).toBe(false);
});

test("uses the indexes to look up a key, even among many keys", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const { organizationId, teamId, tokenHash } = await addTenant(platform);
  await runAsAdministrator(platform, (transaction) =>
    sql`insert into api_keys (id, organization_id, team_id, name, token_hash, prefix, last_four)
        select 'key_' || lpad(n::text, 26, '0'), ${organizationId}, ${teamId}, 'n', sha256(n::text::bytea), 'sk-tg-AA', 'aaaa'
          from generate_series(1, 5000) as n`.execute(transaction),
  );
  const plan = await selectKeyByHash(database.connect("tollgate_gateway"), tokenHash).explain("text");
  expect(JSON.stringify(plan)).not.toContain("Seq Scan on api_keys");
  expect(JSON.stringify(plan)).not.toContain("Seq Scan on budgets");
  expect(JSON.stringify(plan)).not.toContain("Seq Scan on price_list_entries");
});

test("returns the times at which a key was disabled and revoked", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const tenant = await addTenant(platform);
  const now = new Date();
  await runInOrganization(platform, tenant.organizationId, async (transaction) => {
    await changeKey(transaction, tenant.organizationId, tenant.keyId, { isDisabled: true }, now);
    await revokeKeys(transaction, tenant.organizationId, { keyId: tenant.keyId }, now);
  });
  const found = await findKeyByHash(database.connect("tollgate_gateway"), tenant.tokenHash);
  expect(found).toMatchObject({ disabledAt: now, revokedAt: now });
});

test.for([
  ["a hash of another length", { tokenHash: Buffer.alloc(31) }],
  ["an id of another form", { id: "key_1" }],
  ["an empty name", { name: "" }],
  ["a negative limit", { limits: { rpm: -1 } }],
  ["a limit per model that is no number", { limits: { modelRpm: { fast: "many" as unknown as number } } }],
  ["a user that cannot exist", { userId: 0 }],
] as const)("rejects a key with %s", async ([, key], { database }) => {
  await expect(addTenant(database.connect("tollgate_platform"), { key })).rejects.toThrow("check constraint");
});

test("the database rejects a key whose team belongs to another organization", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const [own, foreign] = [await addTenant(platform), await addTenant(platform)];
  const move = runAsAdministrator(platform, (transaction) =>
    transaction.updateTable("api_keys").set({ team_id: foreign.teamId }).where("id", "=", own.keyId).execute(),
  );
  await expect(move).rejects.toThrow("foreign key");
});

function rotate(platform: Database, tenant: Tenant, newHash: Buffer, grace: string) {
  return runInOrganization(platform, tenant.organizationId, (transaction) =>
    transaction
      .updateTable("api_keys")
      .set({
        token_hash: newHash,
        previous_token_hash: tenant.tokenHash,
        previous_valid_until: sql<Date>`now() + ${grace}::interval`,
      })
      .where("id", "=", tenant.keyId)
      .execute(),
  );
}
