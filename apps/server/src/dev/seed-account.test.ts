import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertKey } from "@tollgate/db/keys/insert-key.ts";
import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { insertTeam } from "@tollgate/db/teams/insert-team.ts";
import { runAsAdministrator, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { createPasswordHasher } from "@tollgate/platform/adapters/argon2-hasher.ts";
import { cloneDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { insertOrganization } from "@tollgate/testkit/insert-organization.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { test as base, expect, onTestFinished } from "vitest";
import { type LocalCredentials, readLocalCredentials } from "./local-credentials.ts";
import { DEMO_CREDIT, seedAccount } from "./seed-account.ts";

// The administrator's email address is fixed, so each test needs a separate database.
const test = base.extend<{ database: TestDatabase }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  database: async ({}, use) => {
    const database = await cloneDatabase();
    await use(database);
    await database.drop();
  },
});

const passwords = createPasswordHasher();

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-seed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const seed = (database: TestDatabase, credentials: LocalCredentials) =>
  seedAccount(database.connectionString, credentials, passwords);

const people = (database: TestDatabase) =>
  runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    transaction
      .selectFrom("organization_members as member")
      .innerJoin("users", "users.id", "member.user_id")
      .innerJoin("organizations as organization", "organization.id", "member.organization_id")
      .leftJoin("team_members as inTeam", (join) =>
        join
          .onRef("inTeam.user_id", "=", "member.user_id")
          .onRef("inTeam.organization_id", "=", "member.organization_id"),
      )
      .select(["users.email", "users.role", "member.role as membership", "inTeam.role as inTeam"])
      .select(["organization.name", "organization.log_prompts as logsPrompts"])
      .execute(),
  );

const owner = { email: "dev@localhost", role: "admin", membership: "owner", inTeam: "admin" };

test("the first start creates an administrator with demo credit, and later starts keep the balance", async ({
  database,
}) => {
  const credentials = readLocalCredentials(makeFolder());
  expect(await seed(database, credentials)).toMatchObject({ isNew: true, userId: 1, balance: DEMO_CREDIT });
  expect(await people(database)).toEqual([{ ...owner, name: "Local", logsPrompts: true }]);
  await runAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
    const { id: organizationId } = await transaction.selectFrom("organizations").select("id").executeTakeFirstOrThrow();
    const entry = {
      kind: "adjustment",
      organizationId,
      amount: -1n,
      idempotencyKey: "adjust:one",
      actor: "test",
    } as const;
    await postEntry(transaction, entry);
    expect((await readQuota(transaction, organizationId))?.balance).toBe(DEMO_CREDIT - 1n);
  });
  expect(await seed(database, credentials)).toMatchObject({ isNew: false, userId: 1, balance: DEMO_CREDIT - 1n });
  expect(await people(database)).toHaveLength(1);
});

test("the first start waits for a database that is busy for longer than a request would wait", async ({ database }) => {
  const held = querySql(database.connectionString, "begin; lock table users; select pg_sleep(2.5); commit");
  let isOver = false;
  void held.then(() => {
    isOver = true;
  });
  await waitFor("the lock", async () => {
    // A machine that stalls can miss it.
    if (isOver) return true;
    const lock = "select from pg_locks where relation = 'users'::regclass and mode = 'AccessExclusiveLock'";
    return (await querySql(database.connectionString, lock)).length > 0;
  });
  expect(await seed(database, readLocalCredentials(makeFolder()))).toMatchObject({ isNew: true });
  await held;
});

test("a data folder from an earlier version gets an administrator who owns the existing organization", async ({
  database,
}) => {
  const folder = makeFolder();
  const apiKey = makeApiKey();
  const path = join(folder, "credentials.json");
  writeFileSync(path, JSON.stringify({ apiKey, masterKey: "sk-master-old" }));
  chmodSync(path, 0o600);
  const organizationId = makePrefixedId("org", Date.now());
  const teamId = makePrefixedId("team", Date.now());
  await runAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
    await insertOrganization(transaction, { id: organizationId, name: "Local" });
    await insertTeam(transaction, { id: teamId, organizationId, name: "Default" });
    const id = makePrefixedId("key", Date.now());
    const shown = { prefix: apiKey.slice(0, 8), lastFour: apiKey.slice(-4) };
    await insertKey(transaction, { id, organizationId, teamId, name: "dev", tokenHash: hashApiKey(apiKey), ...shown });
  });

  const credentials = readLocalCredentials(folder);
  expect(credentials).toMatchObject({ apiKey, masterKey: "sk-master-old", admin: { email: "dev@localhost" } });
  expect(readLocalCredentials(folder)).toEqual(credentials);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(credentials);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await seed(database, credentials)).toMatchObject({ isNew: false, userId: 1, balance: 0n });
  expect(await people(database)).toContainEqual({ ...owner, name: "Local", logsPrompts: true });
});

test("lost credentials are regenerated, and the new key belongs to the same organization", async ({ database }) => {
  await seed(database, readLocalCredentials(makeFolder()));
  const again = readLocalCredentials(makeFolder());
  expect(await seed(database, again)).toMatchObject({ isNew: true, userId: 1, balance: DEMO_CREDIT });
  expect(await people(database)).toHaveLength(1);
  const stored = await runUnauthenticated(database.connect("tollgate_platform"), (transaction) =>
    transaction.selectFrom("user_credentials").select("password_hash").executeTakeFirstOrThrow(),
  );
  expect(await passwords.verify(stored.password_hash, again.admin.password)).toBe(true);
});
