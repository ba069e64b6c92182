import type { Client } from "pg";
import manifest from "../../package.json" with { type: "json" };
import { noteFailure } from "./note-failure.ts";
import type { SqlFunction } from "./read-functions.ts";
import { type Report, retryLocks } from "./retry-locks.ts";

/** A function as it was last applied to a database. */
interface AppliedFunction {
  readonly name: string;
  readonly checksum: string;
  /** Tollgate version that applied the function. */
  readonly release: string;
}

/** Creates the table that lists the applied functions. */
export async function prepareFunctionRegister(client: Client): Promise<void> {
  await client.query(`
    create table if not exists schema_functions (
      name       text        primary key,
      checksum   text        not null,
      release    text        not null,
      applied_at timestamptz not null default now()
    )`);
}

/**
 * Returns the functions whose text differs from the one last applied. Returns none if a later release has applied its
 * functions: they also serve this release, and this release's functions would not serve the later one.
 */
export async function findPendingFunctions(client: Client, functions: readonly SqlFunction[]): Promise<SqlFunction[]> {
  const applied = await readAppliedFunctions(client);
  if (applied.some(({ release }) => isLater(release, manifest.version))) return [];
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  return functions.filter(({ name, checksum }) => checksums.get(name) !== checksum);
}

/** Applies functions in one transaction. */
export async function applyFunctions(client: Client, functions: readonly SqlFunction[], report: Report): Promise<void> {
  try {
    await retryLocks(client, "functions", report, async () => {
      await client.query("begin");
      await writeFunctions(client, functions, report);
      await client.query("commit");
    });
  } catch (error) {
    const failure = new Error(`${(error as Error).message}; the database is unchanged`, { cause: error });
    await noteFailure(client, "functions", failure);
    throw failure;
  }
}

/** Creates or replaces functions and records them, in the caller's transaction. */
export async function writeFunctions(client: Client, functions: readonly SqlFunction[], report: Report): Promise<void> {
  if (functions.length === 0) return;
  report({ kind: "applying functions", names: functions.map(({ name }) => name) });
  // Bodies may call each other, so they are not checked before all functions exist.
  await client.query("set local check_function_bodies = off");
  for (const { name, sql } of functions) {
    await client.query(sql).catch((error: Error) => {
      throw Object.assign(new Error(`function ${name} failed: ${error.message}`, { cause: error }), {
        code: (error as { code?: string }).code,
      });
    });
  }
  await client.query(
    `insert into schema_functions (name, checksum, release)
     select name, checksum, $3 from unnest($1::text[], $2::text[]) as applied (name, checksum)
     on conflict (name) do update
        set checksum = excluded.checksum, release = excluded.release, applied_at = now()`,
    [functions.map(({ name }) => name), functions.map(({ checksum }) => checksum), manifest.version],
  );
}

async function readAppliedFunctions(client: Client): Promise<AppliedFunction[]> {
  const table = await client.query<{ exists: boolean }>("select to_regclass('schema_functions') is not null as exists");
  if (table.rows[0]?.exists !== true) return [];
  return (await client.query<AppliedFunction>("select name, checksum, release from schema_functions")).rows;
}

function isLater(release: string, than: string): boolean {
  const [left, right] = [release, than].map((version) => (version.split("-")[0] as string).split(".").map(Number));
  const differing = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return differing !== -1 && (left?.[differing] ?? 0) > (right?.[differing] ?? 0);
}
