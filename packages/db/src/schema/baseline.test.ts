import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import previous from "../../../../scripts/previous-release.json" with { type: "json" };
import { migrate, readSchemaStatus } from "../migrate.ts";
import { describeSchema } from "./describe-schema.fixture.ts";
import { readFunctions } from "./read-functions.ts";
import { newestNumber, readMigrations } from "./read-migrations.ts";
import { SchemaIsUnknown } from "./read-schema.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
let database: TestDatabase;

beforeEach(async () => {
  database = await makeDatabase();
});

test("an upgrade from the previous release gives the schema of a new database, and skips what it already has", async () => {
  const folder = checkOutPrevious();
  const older = readMigrations(join(folder, "migrations"));
  const functions = existsSync(join(folder, "functions")) ? readFunctions(join(folder, "functions")) : [];
  await migrate(database.connectionString, { migrations: older, functions });
  const applied: string[] = [];
  await migrate(database.connectionString, {
    report: (progress) => void (progress.kind === "applying" && applied.push(progress.migration)),
  });
  const later = readMigrations().filter(({ number }) => number > newestNumber(older));
  const inOrder = [
    ...later.filter(({ indexes }) => indexes === null),
    ...later.filter(({ indexes }) => indexes !== null),
  ];
  expect(applied).toEqual(inOrder.map(({ name }) => name));
  const fresh = await makeDatabase();
  await migrate(fresh.connectionString);
  const expected = await describeSchema(fresh.connectionString);
  expect(Object.keys(expected).length).toBeGreaterThan(1_000);
  expect(await describeSchema(database.connectionString)).toEqual(expected);
});

test("a database with all replaced migrations is up to date", async () => {
  await migrate(database.connectionString);
  // Later migrations replace none.
  await recordReplaced(readMigrations().flatMap((one) => (one.replaces.length === 0 ? [one] : one.replaces)));
  expect(await readSchemaStatus(database.connectionString)).toMatchObject({
    schemaNumber: newestNumber(readMigrations()),
    missing: [],
    newer: [],
    pendingFunctions: [],
  });
  expect(await migrate(database.connectionString)).toBe(0);
});

test("a database with the migrations of a release runs only the later ones", async () => {
  const [baseline, ...later] = readMigrations();
  await migrate(database.connectionString, { migrations: baseline === undefined ? [] : [baseline] });
  await recordReplaced(baseline?.replaces ?? []);
  expect(await readSchemaStatus(database.connectionString)).toMatchObject({ schemaNumber: 28, missing: later });
  expect(await migrate(database.connectionString)).toBe(later.length);
});

test.each([
  ["only some of the replaced migrations", 20, (checksum: string) => checksum],
  ["a replaced migration with another text", 28, (checksum: string) => checksum.replace(/^./, "x")],
])("refuses a database with %s, suggests a fix, and changes nothing", async (_case, count, edit) => {
  const [baseline] = readMigrations();
  await migrate(database.connectionString, { migrations: [] });
  const recorded = (baseline?.replaces ?? []).slice(0, count);
  await recordReplaced(recorded.map((row) => (row.number === 20 ? { ...row, checksum: edit(row.checksum) } : row)));
  const before = await querySql(database.connectionString, "select * from schema_migrations order by number");
  const refusal = {
    constructor: SchemaIsUnknown,
    message: "Database migrations 1 to 28 are not the ones that 0028_baseline replaces",
    advice: expect.stringContaining("Start 0.1.0 on an older database first."),
  };
  await expect(migrate(database.connectionString)).rejects.toMatchObject(refusal);
  await expect(readSchemaStatus(database.connectionString)).rejects.toMatchObject(refusal);
  expect(await querySql(database.connectionString, "select * from schema_migrations order by number")).toEqual(before);
});

async function makeDatabase(): Promise<TestDatabase> {
  const made = await createEmptyDatabase();
  onTestFinished(() => made.drop());
  return made;
}

/** Returns a folder with the previous release's `packages/db`. */
function checkOutPrevious(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-previous-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const archive = execFileSync("git", ["archive", previous.commit, "packages/db"], {
    cwd: REPOSITORY,
    maxBuffer: 100 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  return join(folder, "packages/db");
}

/** Makes the database look as if it had been migrated by the replaced migrations. */
async function recordReplaced(migrations: readonly { number: number; name: string; checksum: string }[]) {
  const rows = migrations.map(({ number, name, checksum }) => `(${number}, '${name}', '${checksum}', '0.1.0')`);
  await querySql(
    database.connectionString,
    `delete from schema_migrations;
     insert into schema_migrations (number, name, checksum, release) values ${rows.join(", ")}`,
  );
}
