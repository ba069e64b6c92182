import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runMigrations as installJobQueue } from "graphile-worker";
import { Client } from "pg";
import manifest from "../package.json" with { type: "json" };

/** One numbered file of SQL. Once merged it is never edited, which its checksum proves. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The database was last changed by a newer release. `advice` says what an operator can do. */
export class SchemaIsNewer extends Error {
  readonly advice: string;
  constructor(schemaNumber: number, knownNumber: number, release: string) {
    super(`Database schema is newer than this version (schema ${schemaNumber}, this build knows ${knownNumber})`);
    this.name = "SchemaIsNewer";
    this.advice = `Start version ${release} or later, or restore the backup taken before the upgrade. Nothing was changed.`;
  }
}

// Any number will do, as long as every release uses the same one.
const LOCK_KEY = 7_655_434;
const LOCK_LIMIT = "60s";
// A change that waits for a long query makes every later query wait behind it, so it gives up early.
const CHANGE_LIMIT = "10s";
const CONNECT_LIMIT_MS = 5_000;
// The queue notes the name of a task when its first job is added, and whoever adds one at the same time waits for that
// transaction to end. Settlement adds jobs while it holds other locks, so the name is noted here.
const REGISTER_TASK = `begin;
  select graphile_worker.add_job('deliver_outbox', job_key => 'register');
  select graphile_worker.remove_job('register');
  commit`;

/** Brings the database to this build's schema, one process at a time, and returns how many migrations that took. */
export async function migrate(connectionString: string, migrations = readMigrations()): Promise<number> {
  const client = new Client({
    connectionString,
    application_name: "tollgate migrate",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  await client.connect();
  try {
    await client.query(`set lock_timeout = '${LOCK_LIMIT}'`);
    await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
    await client.query(`set lock_timeout = '${CHANGE_LIMIT}'`);
    const missing = await findMissing(client, migrations);
    for (const migration of missing) await apply(client, migration);
    // The queue of background work brings tables of its own; ours only call it.
    await installJobQueue({ connectionString, noHandleSignals: true });
    await client.query(REGISTER_TASK);
    return missing.length;
  } finally {
    await client.end(); // which also gives the lock back
  }
}

/** The migrations of this build, in order. */
export function readMigrations(folder = join(import.meta.dirname, "../migrations")): Migration[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return files.map((file, index) => {
    const number = Number(file.slice(0, 4));
    if (number !== index + 1) throw new Error(`migration ${file} should have the number ${index + 1}`);
    const sql = readFileSync(join(folder, file), "utf8");
    return {
      number,
      name: file.slice(0, -".sql".length),
      sql,
      checksum: createHash("sha256").update(sql).digest("hex"),
    };
  });
}

async function findMissing(client: Client, migrations: readonly Migration[]): Promise<Migration[]> {
  await client.query(`
    create table if not exists schema_migrations (
      number     integer     primary key,
      name       text        not null,
      checksum   text        not null,
      release    text        not null,
      applied_at timestamptz not null default now()
    )`);
  const { rows } = await client.query<AppliedMigration>(
    "select number, name, checksum, release from schema_migrations order by number",
  );
  const newest = rows.at(-1);
  if (newest !== undefined && newest.number > migrations.length) {
    throw new SchemaIsNewer(newest.number, migrations.length, newest.release);
  }
  for (const applied of rows) {
    if (migrations[applied.number - 1]?.checksum !== applied.checksum) {
      throw new Error(
        `migration ${applied.name} is not the one this database was built with: a merged migration must not be edited`,
      );
    }
  }
  const known = new Set(rows.map((applied) => applied.number));
  return migrations.filter((migration) => !known.has(migration.number));
}

async function apply(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(migration.sql);
    await client.query("insert into schema_migrations (number, name, checksum, release) values ($1, $2, $3, $4)", [
      migration.number,
      migration.name,
      migration.checksum,
      manifest.version,
    ]);
    await client.query("commit");
  } catch (error) {
    throw new Error(`migration ${migration.name} failed; the database is as it was before it`, { cause: error });
  }
}

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly release: string;
}
