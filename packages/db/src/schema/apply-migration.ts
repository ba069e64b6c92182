import type { Client } from "pg";
import manifest from "../../package.json" with { type: "json" };
import { buildIndex } from "./index-build.ts";
import { noteFailure } from "./note-failure.ts";
import type { Migration } from "./read-migrations.ts";
import { type Report, retryLocks } from "./retry-locks.ts";

// A statement that takes longer would hold its locks too long and belongs in a background job.
const STATEMENT_LIMIT = "10min";

/** Applies one migration and records it. SQL migrations are atomic, and interrupted index builds are resumed. */
export async function applyMigration(client: Client, migration: Migration, report: Report): Promise<void> {
  report({ kind: "applying", migration: migration.name });
  try {
    if (migration.indexes === null) await applySql(client, migration, report);
    else {
      for (const build of migration.indexes) await buildIndex(client, build, report);
      await writeDown(client, migration);
    }
  } catch (error) {
    const left =
      migration.indexes === null ? "the database is unchanged" : "the next run continues where this one stopped";
    const failure = new Error(`migration ${migration.name} failed: ${(error as Error).message}; ${left}`, {
      cause: error,
    });
    await noteFailure(client, migration.name, failure);
    throw failure;
  }
}

async function applySql(client: Client, migration: Migration, report: Report): Promise<void> {
  await client.query(`set statement_timeout = '${STATEMENT_LIMIT}'`);
  await retryLocks(client, migration.name, report, async () => {
    await client.query("begin");
    await client.query(migration.sql);
    await writeDown(client, migration);
    await client.query("commit");
  });
}

async function writeDown(client: Client, { number, name, checksum, runsFrom }: Migration): Promise<void> {
  await client.query(
    "insert into schema_migrations (number, name, checksum, release, runs_from) values ($1, $2, $3, $4, $5)",
    [number, name, checksum, manifest.version, runsFrom],
  );
}
