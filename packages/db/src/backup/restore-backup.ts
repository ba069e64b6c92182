import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { migrate } from "../migrate.ts";
import { firstNumber, type Migration, newestNumber, numberOf, readMigrations } from "../schema/read-migrations.ts";
import { isApplied } from "../schema/read-schema.ts";
import { BackupIsDamaged, readArchive } from "./archive.ts";
import { unpackPiece } from "./check-backup.ts";
import { liftGuards } from "./lift-guards.ts";
import { type BackedUpTable, type BackupManifest, type Partition, tableOfPiece } from "./manifest.ts";
import { openClient } from "./open-client.ts";
import { listPartitions, listTables, readTotals } from "./read-catalog.ts";

/** Thrown if the backup doesn't match this version or this database. No changes were made. */
export class RestoreRefused extends Error {}

const BOUND = /^(DEFAULT|FOR VALUES FROM \('[\d-]+'\) TO \('[\d-]+'\))$/;
const PLAIN_NAME = /^\w+$/;
const DAY_MS = 86_400_000;
// The workers that locked these jobs don't exist in the restored instance, so their locks would block the jobs for
// hours.
const UNLOCK_JOBS = `
  update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at is not null;
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null`;
const NEXT_DAYS =
  "select ensure_usage_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7)";

/**
 * Restores a checked backup into an empty database, migrates the database to this version's schema, and returns the
 * schema number.
 */
export async function restoreBackup(connectionString: string, path: string, manifest: BackupManifest): Promise<number> {
  const migrations = readMigrations();
  refuseForeign(manifest);
  await refuseFilled(connectionString);
  await migrate(connectionString, { migrations: migrations.filter(({ number }) => number <= manifest.schema) });
  const client = await openClient(connectionString, "restore");
  try {
    await client.query("begin");
    await fill(client, manifest, path);
    await client.query("commit");
  } finally {
    await client.end();
  }
  await migrate(connectionString);
  await announceRows(connectionString);
  return newestNumber(migrations);
}

/**
 * Notifies connected gateways that everything may have changed. No trigger ran for the restored rows, and a gateway may have
 * cached that their keys don't exist.
 */
async function announceRows(connectionString: string): Promise<void> {
  const client = await openClient(connectionString, "restore");
  try {
    await client.query(`select record_change('{"kind":"everything"}')`);
  } finally {
    await client.end();
  }
}

/** Rejects a backup with a different migration history, because its tables can differ even if their names match. */
function refuseForeign({ schema, version, migrations }: BackupManifest): void {
  const own = readMigrations();
  if (schema > newestNumber(own)) {
    throw new RestoreRefused(
      `The backup has schema ${schema}, but this version supports up to ${newestNumber(own)}. Use version ${version} or later`,
    );
  }
  const applied = migrations.map(({ name, checksum }) => ({ number: numberOf(name), checksum }));
  const different = own.find((migration) => migration.number <= schema && !hasMigration(applied, migration));
  if (different !== undefined)
    throw new RestoreRefused(`Migration ${different.name} in the backup differs from this version's`);
}

function hasMigration(applied: Parameters<typeof isApplied>[1], migration: Migration): boolean {
  try {
    return isApplied(migration, applied);
  } catch {
    return false;
  }
}

async function refuseFilled(connectionString: string): Promise<void> {
  const client = await openClient(connectionString, "restore");
  try {
    const { rows } = await client.query<{ name: string; relations: string }>(
      `select current_database() as name, count(*) as relations from pg_class
        where relnamespace in (current_schema()::regnamespace, to_regnamespace('graphile_worker'))`,
    );
    const [found] = rows;
    if (found !== undefined && found.relations !== "0") {
      throw new RestoreRefused(`Database ${found.name} is not empty. Specify a newly created database`);
    }
  } finally {
    await client.end();
  }
}

async function fill(client: Client, manifest: BackupManifest, path: string): Promise<void> {
  const tables = await listTables(client);
  const columns = new Map(tables.map((table) => [table.name, new Set(table.columns)]));
  // Check the table and column names before any of them becomes part of a statement.
  const strange = manifest.tables.find(
    (table) => !columns.has(table.name) || table.columns.some((column) => !columns.get(table.name)?.has(column)),
  );
  if (strange !== undefined) throw new BackupIsDamaged(`its table ${strange.name} does not match this version`);
  const restoreGuards = await liftGuards(client, [...columns.keys()]);
  await client.query(`truncate ${[...columns.keys()].join(", ")}`);
  await makePartitions(client, manifest.partitions, columns);
  await copyRows(client, manifest.tables, path);
  await dateMigrations(client, manifest);
  for (const { name, value, isCalled } of manifest.sequences) {
    await client.query("select setval($1::regclass, $2::bigint, $3)", [name, value, isCalled]);
  }
  await client.query(UNLOCK_JOBS);
  await restoreGuards();
  await client.query(NEXT_DAYS);
  const totals = await readTotals(client);
  if (JSON.stringify(totals) !== JSON.stringify(manifest.totals)) {
    throw new Error(`the ledger totals are ${JSON.stringify(totals)} but were ${JSON.stringify(manifest.totals)}`);
  }
}

/**
 * Sets the times at which the backed-up database was migrated, because `ledger verify` expects less of rows that are
 * older than a migration. An earlier release's backup has no times. Its migrations count as applied a day before it.
 */
async function dateMigrations(client: Client, { madeAt, migrations, schema }: BackupManifest): Promise<void> {
  const unknown = new Date(Date.parse(madeAt) - DAY_MS).toISOString();
  for (const own of readMigrations().filter(({ number }) => number <= schema)) {
    const last = migrations.findLast(({ name }) => numberOf(name) >= firstNumber(own) && numberOf(name) <= own.number);
    const appliedAt = last?.appliedAt ?? unknown;
    await client.query("update schema_migrations set applied_at = $2 where number = $1", [own.number, appliedAt]);
  }
}

/** Creates exactly the partitions in the backup, because days without a partition were already dropped. */
async function makePartitions(
  client: Client,
  wanted: readonly Partition[],
  tables: ReadonlyMap<string, unknown>,
): Promise<void> {
  for (const { name } of await listPartitions(client)) await client.query(`drop table ${name}`);
  for (const { parent, name, bound } of wanted) {
    if (!tables.has(parent) || !PLAIN_NAME.test(name) || !BOUND.test(bound)) {
      throw new BackupIsDamaged(`it contains an unexpected partition '${name}' of ${parent}`);
    }
    await client.query(`create table ${name} partition of ${parent} ${bound}`);
  }
}

async function copyRows(client: Client, tables: readonly BackedUpTable[], path: string): Promise<void> {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const entries = readArchive(path);
  let next = await entries.next();
  while (next.done !== true) {
    const table = byName.get(tableOfPiece(next.value.name) ?? "");
    if (table === undefined) {
      next = await entries.next();
      continue;
    }
    const input = client.query(copyFrom(`copy ${table.name} (${table.columns.join(", ")}) from stdin`));
    await pipeline(async function* () {
      while (next.done !== true && tableOfPiece(next.value.name) === table.name) {
        yield await unpackPiece(next.value.body, next.value.name);
        next = await entries.next();
      }
    }, input);
    if (input.rowCount !== table.rows)
      throw new Error(`restored ${input.rowCount} of ${table.rows} rows of ${table.name}`);
  }
}
