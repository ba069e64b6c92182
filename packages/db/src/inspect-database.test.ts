import { createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inspectDatabase } from "./inspect-database.ts";
import { migrate } from "./migrate.ts";
import { newestNumber, readMigrations } from "./schema/read-migrations.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

test("reports a database's version, latency, clock offset, and schema", async () => {
  await migrate(database.connectionString);
  const facts = await inspectDatabase(database.connectionString);
  const newest = newestNumber(readMigrations());
  expect(facts).toMatchObject({ schemaNumber: newest, knownSchemaNumber: newest });
  expect(facts.version).toMatch(/^\d+\.\d+$/);
  expect(facts.majorVersion).toBe(Number.parseInt(facts.version, 10));
  expect(facts.latencyMs).toBeGreaterThan(0);
  expect(Math.abs(facts.clockOffsetMs)).toBeLessThan(1_000);
});

test("does not change a database without a schema", async () => {
  expect(await inspectDatabase(database.connectionString)).toMatchObject({ schemaNumber: 0 });
  expect(await querySql(database.connectionString, "select to_regclass('schema_migrations') as found")).toEqual([
    { found: null },
  ]);
});

test("throws the connection error", async () => {
  await expect(inspectDatabase("postgres://nobody@127.0.0.1:1/none")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
