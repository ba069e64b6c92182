import { setTimeout as pause } from "node:timers/promises";
import { createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { Client } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { migrate, readSchemaStatus } from "./migrate.ts";
import { describeMigration, type Migration, newestNumber, readMigrations } from "./schema/read-migrations.ts";
import type { Progress } from "./schema/retry-locks.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

test("migrates an empty database to the newest schema, and a second run applies no migration", async () => {
  const all = readMigrations().length;
  expect(await migrate(database.connectionString)).toBe(all);
  expect(await migrate(database.connectionString)).toBe(0);
  expect(await ask("select count(*)::int as count from schema_migrations")).toEqual([{ count: all }]);
});

test("applies each migration once when several processes start together", async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.connectionString)));
  expect(applied.sort((a, b) => a - b)).toEqual([0, 0, 0, readMigrations().length]);
});

test("runs on a schema that a later release only extended, and leaves the schema unchanged", async () => {
  const known = readMigrations();
  const number = newestNumber(known) + 1;
  const later = make(number, "create table from_the_future ()");
  await migrate(database.connectionString, { migrations: [...known, later] });
  expect(await migrate(database.connectionString)).toBe(0);
  expect(await readSchemaStatus(database.connectionString)).toMatchObject({
    schemaNumber: number,
    knownSchemaNumber: number - 1,
    missing: [],
    newer: [{ number, runsFrom: null }],
    lockHolder: null,
  });
});

test("rejects a database from which a newer release removed something, with the reason, and changes nothing", async () => {
  const known = readMigrations();
  const number = newestNumber(known) + 1;
  const contract = make(number, `-- contract: runs from schema ${number}\ndrop table responses`);
  await migrate(database.connectionString, { migrations: [...known, contract] });
  const refusal = {
    message: `Database schema is newer than this version (schema ${number}, this build supports ${number - 1})`,
    advice: `Start version ${manifest.version} or later, or restore the backup taken before the upgrade. No changes were made.`,
  };
  await expect(migrate(database.connectionString)).rejects.toMatchObject(refusal);
  await expect(readSchemaStatus(database.connectionString)).rejects.toMatchObject(refusal);
});

test("a contract migration that names an older schema allows builds of that schema or a later one to run", async () => {
  const first = [make(1, "create table first (old text)"), make(2, "alter table first add column new text")];
  const third = make(3, "-- contract: runs from schema 2\nalter table first drop column old");
  await migrate(database.connectionString, { migrations: [...first, third] });
  expect(await migrate(database.connectionString, { migrations: first })).toBe(0);
  await expect(migrate(database.connectionString, { migrations: first.slice(0, 1) })).rejects.toThrow("schema 3");
});

test("migrates a database from the first release, which has no compatibility column", async () => {
  const first = [make(1, "create table first ()")];
  await migrate(database.connectionString, { migrations: first });
  await ask("alter table schema_migrations drop column runs_from");
  expect(await readSchemaStatus(database.connectionString, first)).toMatchObject({ missing: [] });
  expect(await migrate(database.connectionString, { migrations: [...first, make(2, "create table second ()")] })).toBe(
    1,
  );
});

test("rolls back a failed migration and retains the migrations before it", async () => {
  const broken = [make(1, "create table first ()"), make(2, "create table second (); select 1 / 0")];
  await expect(migrate(database.connectionString, { migrations: broken })).rejects.toThrow(
    "migration 0002_made failed: division by zero; the database is unchanged",
  );
  expect(await ask("select to_regclass('first')::text as first, to_regclass('second')::text as second")).toEqual([
    { first: "first", second: null },
  ]);
});

test("a failed migration stays recorded until a migration succeeds, so that the version still running can report it", async () => {
  const first = make(1, "create table first ()");
  const failing = migrate(database.connectionString, { migrations: [first, make(2, "select 1 / 0")] });
  await expect(failing).rejects.toThrow("division by zero");
  expect(await ask("select name, release, reason from schema_migration_failures")).toEqual([
    { name: "0002_made", release: manifest.version, reason: expect.stringContaining("division by zero") },
  ]);
  await migrate(database.connectionString, { migrations: [first, make(2, "select 1")] });
  expect(await ask("select from schema_migration_failures")).toEqual([]);
});

test("refuses to continue if an applied migration was edited", async () => {
  await migrate(database.connectionString, { migrations: [make(1, "create table first ()")] });
  const edited = [make(1, "create table first (id text)"), make(2, "create table second ()")];
  await expect(migrate(database.connectionString, { migrations: edited })).rejects.toThrow(
    "merged migrations must not be edited",
  );
});

test("a migration waits at most one second for a table in use, lets other queries pass, and retries", async () => {
  const first = make(1, "create table busy (id integer)");
  await migrate(database.connectionString, { migrations: [first] });
  const reader = await openClient();
  await reader.query("begin; select from busy");
  const reported: Progress[] = [];
  const migrated = migrate(database.connectionString, {
    migrations: [
      first,
      make(2, "alter table busy add column more text; create table used as select current_setting('lock_timeout')"),
    ],
    report: (progress) => reported.push(progress),
  });
  await until(
    async () => (await ask("select from pg_locks where not granted and relation = 'busy'::regclass")).length > 0,
  );
  // A later query waits behind the schema change, but at most for its lock timeout, and not for the reader.
  await ask("select from busy");
  await until(() => reported.some(({ kind }) => kind === "waiting"));
  await reader.query("commit");
  expect(await migrated).toBe(1);
  expect(reported).toContainEqual({ kind: "waiting", change: "0002_made", tries: 1, triesLeft: 59 });
  expect(await ask("select * from used")).toEqual([{ current_setting: "1s" }]);
});

test("a process that waits for another migration reports which process is running it", async () => {
  const busy = await openClient();
  await busy.query("select pg_advisory_lock(1)");
  const slow = [make(1, "select pg_advisory_xact_lock(1)")];
  const first = migrate(database.connectionString, { migrations: slow });
  await until(async () => (await readSchemaStatus(database.connectionString, slow)).lockHolder !== null);
  const reported: Progress[] = [];
  const second = migrate(database.connectionString, {
    migrations: slow,
    report: (progress) => reported.push(progress),
  });
  await until(() => reported.length > 0);
  await busy.query("select pg_advisory_unlock(1)");
  expect(await first).toBe(1);
  expect(await second).toBe(0);
  expect(reported).toEqual([
    { kind: "lock held", holder: expect.stringContaining(`tollgate migrate ${process.pid} on `) },
  ]);
});

test("builds an index during writes, and rebuilds an index that an interruption left invalid", async () => {
  const table = make(1, "create table busy (id integer); insert into busy values (1), (1)");
  const online = make(2, "-- online\ncreate unique index concurrently busy_id on busy (id);");
  await migrate(database.connectionString, { migrations: [table] });
  await expect(migrate(database.connectionString, { migrations: [table, online] })).rejects.toThrow(
    "the next run continues where this one stopped",
  );
  const isValid = "select indisvalid as valid from pg_index where indexrelid = to_regclass('busy_id')";
  expect(await ask(isValid)).toEqual([{ valid: false }]);
  await ask("delete from busy");
  const writer = await openClient();
  await writer.query("begin; insert into busy values (2)");
  const migrated = migrate(database.connectionString, { migrations: [table, online] });
  // The index build waits for the writer, while other writes continue.
  await pause(300);
  await ask("insert into busy values (3)");
  await writer.query("commit");
  expect(await migrated).toBe(1);
  expect(await ask(isValid)).toEqual([{ valid: true }]);
});

test("builds a partitioned index part by part, resumes a failed build, and adds the index to new partitions", async () => {
  const table = make(
    1,
    `create table days (day integer) partition by list (day);
     create table days_20260101 partition of days for values in (1);
     create table days_20260102 partition of days for values in (2);
     insert into days values (1), (2), (2)`,
  );
  const online = make(2, "-- online\ncreate unique index concurrently days_day on days (day)");
  await migrate(database.connectionString, { migrations: [table] });
  await expect(migrate(database.connectionString, { migrations: [table, online] })).rejects.toThrow(
    "days_day_20260102",
  );
  await ask("delete from days where day = 2");
  await migrate(database.connectionString, { migrations: [table, online] });
  await ask("create table days_20260103 partition of days for values in (3)");
  expect(
    await ask(`select count(*)::int as parts, bool_and(i.indisvalid) as valid,
        (select indisvalid from pg_index where indexrelid = 'days_day'::regclass) as whole
      from pg_inherits join pg_index as i on i.indexrelid = inhrelid where inhparent = 'days_day'::regclass`),
  ).toEqual([{ parts: 3, valid: true, whole: true }]);
});

test("rejects an online migration that contains anything other than index builds", () => {
  expect(() => make(1, "-- online\ncreate table first ()")).toThrow("can only contain");
});

function make(number: number, sql: string): Migration {
  return describeMigration(`${number}`.padStart(4, "0").concat("_made"), sql);
}

function ask<Row>(text: string): Promise<Row[]> {
  return querySql<Row>(database.connectionString, text);
}

async function openClient(): Promise<Client> {
  const client = new Client({ connectionString: database.connectionString });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}
