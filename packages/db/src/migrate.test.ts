import { createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

test("brings an empty database to the newest schema once, and then has nothing left to do", async () => {
  const all = readMigrations().length;
  expect(await migrate(database.connectionString)).toBe(all);
  expect(await migrate(database.connectionString)).toBe(0);
  expect(await querySql(database.connectionString, "select count(*)::int as count from schema_migrations")).toEqual([
    { count: all },
  ]);
});

test("applies each migration once when several processes start together", async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.connectionString)));
  expect(applied.sort((a, b) => a - b)).toEqual([0, 0, 0, readMigrations().length]);
});

test("refuses a database that a newer release has changed, says so, and changes nothing", async () => {
  const known = readMigrations();
  await migrate(database.connectionString, [...known, make(known.length + 1, "create table from_the_future ()")]);
  await expect(migrate(database.connectionString)).rejects.toMatchObject({
    message: `Database schema is newer than this version (schema ${known.length + 1}, this build knows ${known.length})`,
    advice: "Start version 0.1.0 or later, or restore the backup taken before the upgrade. Nothing was changed.",
  });
});

test("leaves nothing of a migration that fails, and keeps the ones before it", async () => {
  const broken = [make(1, "create table first ()"), make(2, "create table second (); select 1 / 0")];
  await expect(migrate(database.connectionString, broken)).rejects.toThrow("migration 0002 failed");
  expect(
    await querySql(
      database.connectionString,
      "select to_regclass('first')::text as first, to_regclass('second')::text as second",
    ),
  ).toEqual([{ first: "first", second: null }]);
});

test("refuses to go on when an applied migration was edited", async () => {
  await migrate(database.connectionString, [make(1, "create table first ()")]);
  const edited = [make(1, "create table first (id text)"), make(2, "create table second ()")];
  await expect(migrate(database.connectionString, edited)).rejects.toThrow("a merged migration must not be edited");
});

function make(number: number, sql: string): Migration {
  return { number, name: `${number}`.padStart(4, "0"), sql, checksum: sql };
}
