import { createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { migrate, readSchemaStatus } from "../migrate.ts";
import { describeFunction, orderFunctions, readFunctions, type SqlFunction } from "./read-functions.ts";
import { describeMigration } from "./read-migrations.ts";
import type { Progress } from "./retry-locks.ts";

const table = describeMigration("0001_made", "create table amounts (amount integer)");
let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

test("applies every function to a new database, and a second run applies none", async () => {
  const all = readFunctions().map(({ name }) => name);
  expect(await namesApplied(() => migrate(database.connectionString, { report }))).toEqual(all);
  expect(await namesApplied(() => migrate(database.connectionString, { report }))).toEqual([]);
  expect(await readSchemaStatus(database.connectionString)).toMatchObject({ missing: [], pendingFunctions: [] });
});

test("the body of every function is valid once all functions exist", async () => {
  await migrate(database.connectionString);
  await ask(
    ["begin", "set local check_function_bodies = on", ...readFunctions().map(({ sql }) => sql), "commit"].join(";\n"),
  );
});

test("replaces only the functions whose text changed", async () => {
  const [one, two] = [constant("one", 1), constant("two", 2)];
  await apply([one, two]);
  expect(await namesApplied(() => apply([one, constant("two", 22)]))).toEqual(["two"]);
  expect(await ask("select one(), two()")).toEqual([{ one: 1, two: 22 }]);
});

test("applies functions and the pending migrations in one transaction, and none of them if a function fails", async () => {
  const broken = describeFunction("broken", "create or replace function broken() returns missing_type language sql");
  const migrations = [table, describeMigration("0002_made", "create table more ()")];
  const functions = [constant("one", 1), broken];
  await expect(migrate(database.connectionString, { migrations, functions })).rejects.toThrow(
    'migration 0002_made failed: function broken failed: type "missing_type" does not exist; the database is unchanged',
  );
  expect(await ask("select to_regclass('amounts') as found, to_regproc('one') as one")).toEqual([
    { found: null, one: null },
  ]);
});

test("builds indexes after all columns and functions, so that no function lacks a column of its table", async () => {
  const rows = (values: string) =>
    describeFunction(
      "made_row",
      `create or replace function made_row() returns amounts language plpgsql
      as $$ begin return (select row(${values})::amounts); end $$`,
    );
  await migrate(database.connectionString, { migrations: [table], functions: [rows("1")] });
  const index = "create index concurrently amounts_label on amounts (label)";
  const migrations = [
    table,
    describeMigration("0002_made", "alter table amounts add column label text"),
    describeMigration("0003_made", `-- online\n${index}`),
    describeMigration("0004_made", "alter table amounts add column note text"),
  ];
  const seen: string[] = [];
  await migrate(database.connectionString, {
    migrations,
    functions: [rows("1, 'a', 'b'")],
    report: ({ kind }) => void seen.push(kind),
  });
  expect(seen).toEqual(["applying", "applying", "applying functions", "applying", "building"]);
  expect(await ask("select (made_row()).label, to_regclass('amounts_label')::text as index")).toEqual([
    { label: "a", index: "amounts_label" },
  ]);
});

test("records a function that fails without a migration, and changes nothing", async () => {
  await apply([constant("one", 1)]);
  const broken = describeFunction("broken", "create or replace function broken() returns missing_type language sql");
  await expect(apply([constant("one", 11), broken])).rejects.toThrow("function broken failed");
  expect(await ask("select one()")).toEqual([{ one: 1 }]);
  expect(await ask("select name, release from schema_migration_failures")).toEqual([
    { name: "functions", release: manifest.version },
  ]);
});

test("leaves the functions of a later release alone, so that both releases can run", async () => {
  await apply([constant("one", 1), constant("two", 2)]);
  await ask("update schema_functions set release = '99.0.0-next' where name = 'two'");
  const own = [constant("one", 11), constant("two", 22)];
  expect(await namesApplied(() => apply(own))).toEqual([]);
  expect(await readSchemaStatus(database.connectionString, [table], own)).toMatchObject({ pendingFunctions: [] });
});

test("replaces the functions of an earlier release", async () => {
  await apply([constant("one", 1)]);
  await ask("update schema_functions set release = '0.1.9'");
  const own = [constant("one", 11)];
  expect(await readSchemaStatus(database.connectionString, [table], own)).toMatchObject({ pendingFunctions: ["one"] });
  expect(await namesApplied(() => apply(own))).toEqual(["one"]);
});

test("puts a function after those that it calls outside a quoted body", () => {
  const caller = describeFunction(
    "a_caller",
    "create or replace function a_caller() returns integer return z_called();",
  );
  const quoted = describeFunction("b_quoted", "create or replace function b_quoted() as $$ select a_caller() $$");
  const called = constant("z_called", 1);
  expect(orderFunctions([caller, quoted, called])).toEqual([called, caller, quoted]);
});

const reported: Progress[] = [];
const report = (progress: Progress) => void reported.push(progress);

function apply(functions: readonly SqlFunction[]): Promise<number> {
  return migrate(database.connectionString, { migrations: [table], functions, report });
}

async function namesApplied(work: () => Promise<number>): Promise<string[]> {
  reported.length = 0;
  await work();
  return reported.flatMap((progress) => (progress.kind === "applying functions" ? progress.names : []));
}

function constant(name: string, value: number): SqlFunction {
  return describeFunction(name, `create or replace function ${name}() returns integer language sql return ${value};`);
}

function ask<Row>(text: string): Promise<Row[]> {
  return querySql<Row>(database.connectionString, text);
}
