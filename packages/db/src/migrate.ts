import { hostname } from "node:os";
import { runMigrations as installJobQueue } from "graphile-worker";
import { Client } from "pg";
import { applyMigration } from "./schema/apply-migration.ts";
import { forgetFailure, type MigrationFailure, readFailure } from "./schema/note-failure.ts";
import { type Migration, readMigrations } from "./schema/read-migrations.ts";
import { compareSchema, readApplied, type SchemaComparison } from "./schema/read-schema.ts";
import { type Report, retryLocks } from "./schema/retry-locks.ts";
import { findLockHolder, takeSchemaLock } from "./schema/schema-lock.ts";

export interface MigrateOptions {
  /** Others than this build's own: a part of them for a backup of an older schema, or a test's. */
  readonly migrations?: readonly Migration[];
  readonly report?: Report;
}

/** A database as `tollgate migrate status` tells of it. */
export interface SchemaStatus extends SchemaComparison {
  readonly knownSchemaNumber: number;
  /** Who migrates it at this moment, in words. */
  readonly lockHolder: string | null;
  /** What went wrong last, where nothing went well since. */
  readonly failure: MigrationFailure | null;
}

const CONNECT_LIMIT_MS = 5_000;
// The queue notes the name of a task when its first job is added, and whoever adds one at the same time waits for that
// transaction to end. Settlement adds jobs while it holds other locks, so the name is noted here.
const REGISTER_TASK = `begin;
  select graphile_worker.add_job('deliver_outbox', job_key => 'register');
  select graphile_worker.remove_job('register');
  commit`;

/** Brings the database to this build's schema, one process at a time, and returns how many migrations that took. */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<number> {
  const { migrations = readMigrations(), report = () => {} } = options;
  return withClient(connectionString, async (client) => {
    await takeSchemaLock(client, report);
    const { missing, newer } = compareSchema(await readApplied(client), migrations);
    // A later release was here and says that we may run. What it made is its own to look after, the queue included.
    if (newer.length > 0) return 0;
    await prepareRegister(client, report);
    for (const migration of missing) await applyMigration(client, migration, report);
    // The queue of background work brings tables of its own; ours only call it.
    await installJobQueue({ connectionString, noHandleSignals: true });
    await client.query(REGISTER_TASK);
    await forgetFailure(client);
    return missing.length;
  });
}

/** Looks at the schema and changes nothing. Throws where this build must not run. */
export async function readSchemaStatus(
  connectionString: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<SchemaStatus> {
  return withClient(connectionString, async (client) => ({
    ...compareSchema(await readApplied(client), migrations),
    knownSchemaNumber: migrations.length,
    lockHolder: await findLockHolder(client),
    failure: await readFailure(client),
  }));
}

async function prepareRegister(client: Client, report: Report): Promise<void> {
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
    // Whoever waits for the lock is told this name, which the server cuts at 63 bytes.
    application_name: `tollgate migrate ${process.pid} on ${hostname()}`.slice(0, 63),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // which also gives the lock back
  }
}
