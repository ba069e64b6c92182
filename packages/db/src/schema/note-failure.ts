import type { Client } from "pg";
import manifest from "../../package.json" with { type: "json" };

/** A recorded migration failure. */
export interface MigrationFailure {
  readonly name: string;
  /** Tollgate version that tried to apply the migration. */
  readonly release: string;
  readonly reason: string;
  readonly failedAt: Date;
}

// This definition repeats migration 0034, because the failure may happen before that migration is applied.
const TABLE = `create table if not exists schema_migration_failures (
  id        smallint    primary key default 1 check (id = 1),
  name      text        not null,
  release   text        not null,
  reason    text        not null,
  failed_at timestamptz not null default now()
)`;
const MAX_REASON = 500;

/**
 * Records a failed migration for the version that is still running. Never throws, so that the original failure is
 * reported.
 */
export async function noteFailure(client: Client, migration: string, error: Error): Promise<void> {
  try {
    await client.query(TABLE);
    await client.query(
      `insert into schema_migration_failures (name, release, reason) values ($1, $2, $3)
       on conflict (id) do update
          set name = excluded.name, release = excluded.release, reason = excluded.reason, failed_at = now()`,
      [migration, manifest.version, error.message.slice(0, MAX_REASON)],
    );
  } catch {
    // The connection itself may have failed.
  }
}

export async function forgetFailure(client: Client): Promise<void> {
  if (await hasTable(client)) await client.query("delete from schema_migration_failures");
}

/** Returns the last failed migration, unless a migration has succeeded since. */
export async function readFailure(client: Client): Promise<MigrationFailure | null> {
  if (!(await hasTable(client))) return null;
  const { rows } = await client.query<MigrationFailure>(
    'select name, release, reason, failed_at as "failedAt" from schema_migration_failures',
  );
  return rows[0] ?? null;
}

async function hasTable(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migration_failures') is not null as exists",
  );
  return rows[0]?.exists === true;
}
