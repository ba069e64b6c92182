import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneDatabase, createEmptyDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { findBrokenInvariants } from "../ledger/verify/find-broken-invariants.ts";
import { writeHistory } from "../ledger/verify/ledger-history.fixture.ts";
import { migrate, readSchemaStatus } from "../migrate.ts";
import { newestNumber, readMigrations } from "../schema/read-migrations.ts";
import { checkBackup } from "./check-backup.ts";
import { listTables } from "./read-catalog.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

const NOW = new Date("2026-01-02T03:04:05Z");
/** A user with a password who owns the organization and was last active in it, so that the references are circular. */
const auditSignUp = (email: string): string => `
  select append_audit(null, '{"type": "system", "id": null}', 'user.signed_up',
    jsonb_build_object('type', 'user', 'id', id::text), null, null, '{"role": "user"}') from users where email = '${email}'`;
const FURNISH = `
  select set_config('tollgate.door', 'on', false), set_config('tollgate.administrator', 'on', false);
  update organizations set name = E'tab\\there\\\\, line\\nhere, ✓';
  insert into users (email, name, last_organization_id) select 'a@example.com', 'A', min(id) from organizations;
  ${auditSignUp("a@example.com")};
  insert into user_credentials (user_id, password_hash) select id, 'sealed' from users where email = 'a@example.com';
  update organizations set owner_id = (select max(id) from users) where id = (select min(id) from organizations)`;
const ADD_USER = `
  select set_config('tollgate.door', 'on', false);
  insert into users (email, name) values ('b@example.com', 'B')`;

test("a restored database has the same rows and constraints, and its sequences continue", async () => {
  const database = await makeDatabase();
  const file = makeFile();
  await furnish(database);
  const before = await readEverything(database.connectionString);
  const guards = await readGuards(database.connectionString);
  const { manifest } = await writeBackup(database.connectionString, file, NOW);
  expect(manifest).toMatchObject({ format: 1, schema: newestNumber(readMigrations()), madeAt: NOW.toISOString() });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const target = await makeEmpty();
  await restoreBackup(target.connectionString, file, await checkBackup(file));
  expect(await readEverything(target.connectionString)).toEqual(before);
  expect(await readGuards(target.connectionString)).toEqual(guards);
  // An identity sequence that restarted would collide with the restored rows.
  await querySql(target.connectionString, `${ADD_USER}; ${auditSignUp("b@example.com")}`);
  expect(await migrate(target.connectionString)).toBe(0);
  const report = await findBrokenInvariants(target.connect("tollgate_worker"), { isAtRest: true });
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
});

test("a backup is a consistent snapshot during concurrent writes", async () => {
  const database = await makeDatabase();
  const file = makeFile();
  await furnish(database);
  const writer = new Client({ connectionString: database.connectionString });
  await writer.connect();
  onTestFinished(() => writer.end());
  await writer.query("select set_config('tollgate.door', 'on', false)");
  let isDone = false;
  const writing = (async () => {
    for (let index = 0; !isDone; index += 1) {
      await writer.query("begin");
      await writer.query("insert into users (email, name) values ($1, 'C')", [`c${index}@example.com`]);
      await writer.query("insert into user_credentials (user_id, password_hash) select max(id), 'sealed' from users");
      await writer.query("commit");
    }
  })();
  const { manifest } = await writeBackup(database.connectionString, file, NOW);
  isDone = true;
  await writing;
  const rowsOf = (name: string) => manifest.tables.find((table) => table.name === name)?.rows;
  expect(rowsOf("users")).toBe(rowsOf("user_credentials"));
  expect(rowsOf("users")).toBeGreaterThan(0);
});

test("a backup of an older schema is migrated to the current schema", async () => {
  const migrations = readMigrations();
  const [older, newest] = [migrations.slice(0, -1), migrations.at(-1)];
  const source = await makeEmpty();
  await migrate(source.connectionString, { migrations: older });
  const file = makeFile();
  await expect(writeBackup(source.connectionString, file, NOW)).rejects.toThrow("schema does not match this version");
  // Make the backup look as if the older version had written it, with its own tables, schema number, and migrations.
  await querySql(
    source.connectionString,
    `insert into schema_migrations (number, name, checksum, release)
     values (${newest?.number}, '${newest?.name}', '${newest?.checksum}', 'test')`,
  );
  await querySql(source.connectionString, ADD_USER);
  await writeBackup(source.connectionString, file, NOW);
  const checked = await checkBackup(file);
  const target = await makeEmpty();
  const asOlder = {
    ...checked,
    schema: newestNumber(older),
    migrations: checked.migrations.slice(0, older.length),
  };
  expect(await restoreBackup(target.connectionString, file, asOlder)).toBe(newestNumber(migrations));
  expect(await querySql(target.connectionString, "select email from users")).toEqual([{ email: "b@example.com" }]);
});

/** Returns the verification rules that the database breaks. */
async function findBroken(database: TestDatabase): Promise<readonly string[]> {
  const report = await findBrokenInvariants(database.connect("tollgate_worker"), { isAtRest: true });
  return report.checks.filter(({ ok }) => !ok).map(({ id }) => id);
}

/** A user that an earlier release added without an audit entry. */
const ADD_UNAUDITED = `${ADD_USER}; update users set created_at = now() - interval '1 year' where email = 'b@example.com'`;

test("a restored database still counts as one that an earlier release created", async () => {
  const database = await makeDatabase();
  const { connectionString } = database;
  await querySql(connectionString, ADD_UNAUDITED);
  expect(await findBroken(database)).toEqual(["I10"]);
  await querySql(
    connectionString,
    "update schema_migrations set applied_at = now() - interval '1 year' where number < 45",
  );
  expect(await findBroken(database)).toEqual([]);
  const file = makeFile();
  await writeBackup(connectionString, file, NOW);
  const target = await makeEmpty();
  await restoreBackup(target.connectionString, file, await checkBackup(file));
  expect(await findBroken(target)).toEqual([]);
  const times = "select name, applied_at from schema_migrations order by number";
  expect(await querySql(target.connectionString, times)).toEqual(await querySql(connectionString, times));
});

test("a backup of an earlier release, made just before the restore, counts as one of an earlier release", async () => {
  const migrations = readMigrations();
  const older = migrations.filter(({ number }) => number < 45);
  const source = await makeEmpty();
  await migrate(source.connectionString, { migrations: older });
  await querySql(source.connectionString, ADD_UNAUDITED);
  const later = migrations
    .slice(older.length)
    .map(({ number, name, checksum }) => `(${number}, '${name}', '${checksum}', 'x')`);
  await querySql(
    source.connectionString,
    `insert into schema_migrations (number, name, checksum, release) values ${later.join(", ")}`,
  );
  const file = makeFile();
  await writeBackup(source.connectionString, file, new Date());
  const checked = await checkBackup(file);
  const target = await makeEmpty();
  // Earlier releases write no times.
  const named = checked.migrations.slice(0, older.length).map(({ name, checksum }) => ({ name, checksum }));
  await restoreBackup(target.connectionString, file, { ...checked, schema: newestNumber(older), migrations: named });
  expect(await findBroken(target)).toEqual([]);
});

test("restores a backup of a database that had the migrations that were replaced later", async () => {
  const database = await makeDatabase();
  await querySql(database.connectionString, ADD_USER);
  const file = makeFile();
  await writeBackup(database.connectionString, file, NOW);
  const checked = await checkBackup(file);
  const replaced = readMigrations().flatMap((migration) =>
    migration.replaces.length === 0 ? [migration] : [...migration.replaces],
  );
  const migrations = replaced.map(({ name, checksum }) => ({ name, checksum }));
  const target = await makeEmpty();
  await restoreBackup(target.connectionString, file, { ...checked, migrations });
  expect(await querySql(target.connectionString, "select email from users")).toEqual([{ email: "b@example.com" }]);
  expect(await readSchemaStatus(target.connectionString)).toMatchObject({ missing: [], pendingFunctions: [] });
});

test("a restore refuses a non-empty database and rejects a backup from a later version", async () => {
  const database = await makeDatabase();
  const file = makeFile();
  await writeBackup(database.connectionString, file, NOW);
  const checked = await checkBackup(file);
  await expect(restoreBackup(database.connectionString, file, checked)).rejects.toThrow("is not empty");
  const target = await makeEmpty();
  const later = { ...checked, schema: checked.schema + 1, version: "9.9.9" };
  await expect(restoreBackup(target.connectionString, file, later)).rejects.toThrow("Use version 9.9.9 or later");
  const [first, ...others] = checked.migrations;
  const foreign = { ...checked, migrations: [{ name: first?.name ?? "", checksum: "other" }, ...others] };
  await expect(restoreBackup(target.connectionString, file, foreign)).rejects.toThrow(
    "0028_baseline in the backup differs",
  );
  expect(await querySql(target.connectionString, "select to_regclass('organizations')::text as found")).toEqual([
    { found: null },
  ]);
});

test("a restore rejects an unknown table before its name becomes part of a statement", async () => {
  const file = makeFile();
  await writeBackup((await makeDatabase()).connectionString, file, NOW);
  const checked = await checkBackup(file);
  const strange = { name: "users; drop table users", columns: [], rows: 0, bytes: 0, sha256: "" };
  const target = await makeEmpty();
  const foreign = { ...checked, tables: [...checked.tables, strange] };
  await expect(restoreBackup(target.connectionString, file, foreign)).rejects.toThrow("its table users; drop");
});

test("a restore detects every changed byte and every truncation before it changes the database", async () => {
  const database = await makeDatabase();
  const file = makeFile();
  await furnish(database);
  await writeBackup(database.connectionString, file, NOW);
  const whole = readFileSync(file);
  const damaged = makeFile();
  for (let at = 0; at < whole.length - 1_024; at += 997) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 0x10;
    // Only padding bytes can change without being detected.
    if (isPadding(whole, at)) continue;
    writeFileSync(damaged, bytes);
    await expect(checkBackup(damaged), `byte ${at}`).rejects.toThrow("The backup cannot be used");
  }
  for (const length of [0, 100, 512, whole.length >> 1, whole.length - 1_025 - 512]) {
    writeFileSync(damaged, whole.subarray(0, length));
    await expect(checkBackup(damaged), `first ${length} bytes`).rejects.toThrow("The backup cannot be used");
  }
});

test("a backup fails instead of being partial if the database user cannot see every row", async () => {
  const database = await makeDatabase();
  await querySql(database.connectionString, "drop policy owner_backs_up on user_credentials");
  await expect(writeBackup(database.connectionString, makeFile(), NOW)).rejects.toThrow("all rows of user_credentials");
});

/** Reports whether the byte belongs to neither a header nor a body. */
function isPadding(whole: Buffer, at: number): boolean {
  for (let header = 0; header < whole.length; ) {
    const length = Number.parseInt(whole.toString("latin1", header + 124, header + 135), 8);
    const next = header + 512 + Math.ceil(length / 512) * 512;
    if (at < next) return at >= header + 512 + length;
    header = next;
  }
  return true;
}

async function furnish(database: TestDatabase): Promise<void> {
  await writeHistory(database);
  await querySql(database.connectionString, FURNISH);
}

async function readEverything(connectionString: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const rows: Record<string, unknown> = {};
    for (const { name } of await listTables(client)) {
      const found = await client.query(`select to_jsonb(t) as row from ${name} as t order by to_jsonb(t)::text`);
      rows[name] = found.rows;
    }
    return rows;
  } finally {
    await client.end();
  }
}

/** Reads everything that protects the rows: constraints, enabled triggers, forced policies, and partitions. */
function readGuards(connectionString: string): Promise<unknown[]> {
  return querySql(
    connectionString,
    `select c.conrelid::regclass::text || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid) as guard
       from pg_constraint as c where c.connamespace = current_schema()::regnamespace and not c.coninhcount > 0
     union all select tgrelid::regclass::text || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
     union all select relname || ' ' || relrowsecurity || ' ' || relforcerowsecurity from pg_class
       where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
     order by 1`,
  );
}

async function makeDatabase(): Promise<TestDatabase> {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  return database;
}

async function makeEmpty(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  return database;
}

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "backup.tar");
}
