import { migrate as applyMigrations } from "@tollgate/db/migrate.ts";
import { readFunctions } from "@tollgate/db/schema/read-functions.ts";
import { describeMigration, newestNumber, readMigrations } from "@tollgate/db/schema/read-migrations.ts";
import { serve } from "@tollgate/server/commands/serve.ts";
import { awaitSchema } from "@tollgate/server/prepare-database.ts";
import { createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../run-command.fixture.ts";
import { migratePlan, migrateStatus, migrateUp } from "./migrate.ts";

const known = newestNumber(readMigrations());
const count = readMigrations().length;
let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

test("status and plan list the missing migrations, and up applies them and prints one line per migration", async () => {
  expect(await run(migrateStatus)).toMatchObject({
    code: 0,
    out: { schema: 0, known, missing: count, functions: readFunctions().map(({ name }) => name), lockHolder: null },
  });
  const plan = await run(migratePlan);
  expect(plan.out.migrations).toHaveLength(count);
  expect(plan.out.migrations[0]).toEqual({ name: "0028_baseline", runsFrom: null, isOnline: false });
  // `migrate plan` makes no changes.
  expect(await querySql(database.connectionString, "select to_regclass('schema_migrations')::text as found")).toEqual([
    { found: null },
  ]);
  const up = await run(migrateUp);
  expect(up).toMatchObject({ code: 0, out: { applied: count, schema: known } });
  expect(up.reported.split("\n").filter((line) => /^ {2}\d{4}_/.test(line))).toHaveLength(count);
  expect(await run(migrateUp)).toMatchObject({ code: 0, out: { applied: 0, schema: known } });
  expect(await run(migratePlan)).toMatchObject({ code: 0, out: { migrations: [], functions: [] } });
});

test("status shows the failed migration and its reason until a later run succeeds", async () => {
  const broken = describeMigration(`00${known + 1}_broken`, "select 1 / 0");
  await expect(
    applyMigrations(database.connectionString, { migrations: [...readMigrations(), broken] }),
  ).rejects.toThrow("division by zero");
  expect((await run(migrateStatus)).out.failure).toMatchObject({
    name: broken.name,
    reason: expect.stringContaining("division by zero"),
  });
  await applyMigrations(database.connectionString);
  expect((await run(migrateStatus)).out.failure).toBeNull();
});

test("rejects a schema that only later versions support, and suggests a fix", async () => {
  const number = known + 1;
  const contract = describeMigration(`00${number}_later`, `-- contract: runs from schema ${number}\nselect 1`);
  await applyMigrations(database.connectionString, { migrations: [...readMigrations(), contract] });
  for (const action of [migrateStatus, migratePlan, migrateUp]) {
    const { code, reported } = await run(action);
    expect(code).toBe(7);
    expect(reported).toContain(
      `Database schema is newer than this version (schema ${number}, this build supports ${known})`,
    );
    expect(reported).toContain("or restore the backup taken before the upgrade. No changes were made.");
  }
});

test("a server that must not migrate waits for the migration, and reports the missing schema after a timeout", async () => {
  await expect(awaitSchema(database.connectionString, 0)).rejects.toThrow(
    `Database schema is older than this version (schema 0, this build needs ${known})`,
  );
  expect(await querySql(database.connectionString, "select to_regclass('schema_migrations')::text as found")).toEqual([
    { found: null },
  ]);
  const waiting = awaitSchema(database.connectionString, 60);
  await applyMigrations(database.connectionString);
  await waiting;
});

test("a function of another text is pending until a migration replaces it", async () => {
  await applyMigrations(database.connectionString);
  await querySql(database.connectionString, "update schema_functions set checksum = '' where name = 'settle_usage'");
  expect(await run(migrateStatus)).toMatchObject({ out: { schema: known, missing: 0, functions: ["settle_usage"] } });
  expect(await run(migratePlan)).toMatchObject({ out: { migrations: [], functions: ["settle_usage"] } });
  await expect(awaitSchema(database.connectionString, 0)).rejects.toThrow(
    "Database functions are older than this version (settle_usage)",
  );
  expect((await run(migrateUp)).reported).toContain("1 function to replace (settle_usage)");
  await awaitSchema(database.connectionString, 0);
});

test("serve with migrations disabled refuses to start on an outdated schema and does not change it", async () => {
  const settings = { TOLLGATE_MIGRATE_ON_START: "false", TOLLGATE_DB_WAIT: "0", TOLLGATE_SECRET_KEY: "k".repeat(32) };
  const { code, reported } = await run(serve, settings);
  expect(code).toBe(7);
  expect(reported).toContain("Run `tollgate migrate up`");
  expect(await run(migrateStatus)).toMatchObject({ out: { schema: 0 } });
});

function run(action: typeof migrateUp, settings: NodeJS.ProcessEnv = {}) {
  return runCommand(action, [], { env: { DATABASE_URL: database.connectionString, ...settings }, cwd: "/" });
}
