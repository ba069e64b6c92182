import { hostname } from "node:os";
import { runMigrations as installJobQueue } from "graphile-worker";
import { Client } from "pg";
import { applyFunctions, findPendingFunctions, prepareFunctionRegister } from "./schema/apply-functions.ts";
import { applyTogether, buildIndexes } from "./schema/apply-migration.ts";
import { forgetFailure, type MigrationFailure, readFailure } from "./schema/note-failure.ts";
import { readFunctions, type SqlFunction } from "./schema/read-functions.ts";
import { type Migration, newestNumber, readMigrations } from "./schema/read-migrations.ts";
import { compareSchema, readApplied, type SchemaComparison } from "./schema/read-schema.ts";
import { type Report, retryLocks } from "./schema/retry-locks.ts";
import { findLockHolder, takeSchemaLock } from "./schema/schema-lock.ts";

interface MigrateOptions {
  /** Replaces this build's migrations: a subset for a backup of an older schema, or test migrations. */
  readonly migrations?: readonly Migration[];
  /** Replaces this build's functions. None by default if `migrations` is given, because functions need all migrations. */
  readonly functions?: readonly SqlFunction[];
  readonly report?: Report;
}

/** Database state as shown by `tollgate migrate status`. */
export interface SchemaStatus extends SchemaComparison {
  readonly knownSchemaNumber: number;
  /** Names of the functions that this build would apply. */
  readonly pendingFunctions: readonly string[];
  /** Description of the process that is currently migrating the database. */
  readonly lockHolder: string | null;
  /** Last failure, if no migration has succeeded since. */
  readonly failure: MigrationFailure | null;
}

const CONNECT_LIMIT_MS = 5_000;
// The queue stores a task's name when its first job is added, and concurrent inserts wait for that transaction.
// Settlement adds jobs while it holds other locks, so the name is registered here.
const REGISTER_TASK = `begin;
  select graphile_worker.add_job('deliver_outbox', job_key => 'register');
  select graphile_worker.remove_job('register');
  commit`;

/**
 * Migrates the database to this build's schema and functions, one process at a time, and returns the number of applied
 * migrations.
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<number> {
  const { migrations = readMigrations(), report = () => {} } = options;
  const functions = options.functions ?? (options.migrations === undefined ? readFunctions() : []);
  return withClient(connectionString, async (client) => {
    await takeSchemaLock(client, report);
    const { missing, newer } = compareSchema(await readApplied(client), migrations);
    // A later release has migrated the database and allows this release to run. Leave its changes alone, including
    // changes to the functions and the queue.
    if (newer.length > 0) return 0;
    await prepareRegister(client, report);
    const pending = await findPendingFunctions(client, functions);
    await applyAll(client, missing, pending, report);
    // The job queue manages its own tables.
    await installJobQueue({ connectionString, noHandleSignals: true });
    await client.query(REGISTER_TASK);
    await forgetFailure(client);
    return missing.length;
  });
}

/** Reads the schema status without changing anything. Throws if this build must not run on the schema. */
export async function readSchemaStatus(
  connectionString: string,
  migrations: readonly Migration[] = readMigrations(),
  functions: readonly SqlFunction[] = readFunctions(),
): Promise<SchemaStatus> {
  return withClient(connectionString, async (client) => {
    const comparison = compareSchema(await readApplied(client), migrations);
    const pending = comparison.newer.length > 0 ? [] : await findPendingFunctions(client, functions);
    return {
      ...comparison,
      knownSchemaNumber: newestNumber(migrations),
      pendingFunctions: pending.map(({ name }) => name),
      lockHolder: await findLockHolder(client),
      failure: await readFailure(client),
    };
  });
}

/**
 * Applies migrations. If functions are pending, they and the SQL migrations are one transaction, so that no function of
 * the running release finds tables that it doesn't fit. Index builds follow it, also those with smaller numbers, because
 * no function needs an index that isn't unique. A unique index may be needed, so it is built in its place, and the SQL
 * migrations before it are applied one by one. Without pending functions, each migration is a transaction of its own,
 * which keeps its locks short.
 */
async function applyAll(
  client: Client,
  migrations: readonly Migration[],
  functions: readonly SqlFunction[],
  report: Report,
): Promise<void> {
  if (functions.length === 0) return applyOneByOne(client, migrations, report);
  const needed = migrations.filter((one) => !isPlainIndexBuild(one));
  const start = needed.findLastIndex(({ indexes }) => indexes !== null) + 1;
  await applyOneByOne(client, needed.slice(0, start), report);
  const [first, ...others] = needed.slice(start);
  if (first !== undefined) await applyTogether(client, [first, ...others], functions, report);
  else await applyFunctions(client, functions, report);
  await applyOneByOne(client, migrations.filter(isPlainIndexBuild), report);
}

async function applyOneByOne(client: Client, migrations: readonly Migration[], report: Report): Promise<void> {
  for (const migration of migrations) {
    if (migration.indexes === null) await applyTogether(client, [migration], [], report);
    else await buildIndexes(client, migration, report);
  }
}

/** Reports whether a migration only builds indexes that no statement needs, such as an insert with a conflict target. */
function isPlainIndexBuild({ indexes }: Migration): boolean {
  return indexes?.every(({ isUnique }) => !isUnique) ?? false;
}

async function prepareRegister(client: Client, report: Report): Promise<void> {
  await prepareFunctionRegister(client);
  await client.query(`
    create table if not exists schema_migrations (
      number     integer     primary key,
      name       text        not null,
      checksum   text        not null,
      release    text        not null,
      applied_at timestamptz not null default now()
    )`);
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'runs_from'",
  );
  if (rowCount !== 0) return;
  const change = "alter table schema_migrations add column runs_from integer";
  await retryLocks(client, "schema_migrations", report, () => client.query(change));
}

async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString,
    // This name is shown to processes that wait for the lock. The server truncates it at 63 bytes.
    application_name: `tollgate migrate ${process.pid} on ${hostname()}`.slice(0, 63),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // also releases the lock
  }
}
