import type { Client } from "pg";
import manifest from "../../package.json" with { type: "json" };
import { writeFunctions } from "./apply-functions.ts";
import { buildIndex } from "./index-build.ts";
import { noteFailure } from "./note-failure.ts";
import type { SqlFunction } from "./read-functions.ts";
import type { Migration } from "./read-migrations.ts";
import { type Report, retryLocks } from "./retry-locks.ts";

// A statement that takes longer would hold its locks too long and belongs in a background job.
const STATEMENT_LIMIT = "10min";

/** Builds the indexes of one migration and records it. The next run resumes an interrupted build. */
export async function buildIndexes(client: Client, migration: Migration, report: Report): Promise<void> {
  report({ kind: "applying", migration: migration.name });
  try {
    for (const build of migration.indexes ?? []) await buildIndex(client, build, report);
    await writeDown(client, migration);
  } catch (error) {
    throw await describeFailure(client, migration, error, "the next run continues where this one stopped");
  }
}

/** Applies SQL migrations and functions in one transaction and records them. */
export async function applyTogether(
  client: Client,
  migrations: readonly [Migration, ...Migration[]],
  functions: readonly SqlFunction[],
  report: Report,
): Promise<void> {
  let current = migrations[0];
  for (const { name } of migrations) report({ kind: "applying", migration: name });
  try {
    await client.query(`set statement_timeout = '${STATEMENT_LIMIT}'`);
    await retryLocks(client, current.name, report, async () => {
      await client.query("begin");
      for (const migration of migrations) {
        current = migration;
        await client.query(migration.sql);
        await writeDown(client, migration);
      }
      await writeFunctions(client, functions, report);
      await client.query("commit");
    });
  } catch (error) {
    throw await describeFailure(client, current, error, "the database is unchanged");
  }
}

async function describeFailure(client: Client, { name }: Migration, error: unknown, left: string): Promise<Error> {
  const failure = new Error(`migration ${name} failed: ${(error as Error).message}; ${left}`, { cause: error });
  await noteFailure(client, name, failure);
  return failure;
}

async function writeDown(client: Client, { number, name, checksum, runsFrom }: Migration): Promise<void> {
  await client.query(
    // The time of this statement, because the transaction may have started long before.
    `insert into schema_migrations (number, name, checksum, release, runs_from, applied_at)
     values ($1, $2, $3, $4, $5, clock_timestamp())`,
    [number, name, checksum, manifest.version, runsFrom],
  );
}
