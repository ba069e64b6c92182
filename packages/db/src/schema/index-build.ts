import type { Client } from "pg";
import { type Report, retryLocks } from "./retry-locks.ts";

/** An index requested by a migration. */
export interface IndexBuild {
  readonly name: string;
  readonly table: string;
  readonly isUnique: boolean;
  /** SQL after the table name: columns and conditions. */
  readonly rest: string;
}

const STATEMENT = /^create (unique )?index concurrently (\w+) on (\w+) (.+)$/is;

/**
 * Parses a migration that builds indexes. The migration can't contain other statements, because only index builds can
 * be resumed.
 */
export function readIndexBuilds(migration: string, sql: string): IndexBuild[] {
  const statements = sql
    .replace(/--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  return statements.map((statement) => {
    const [, unique, name, table, rest] = STATEMENT.exec(statement) ?? [];
    if (name === undefined || table === undefined || rest === undefined) {
      throw new Error(
        `migration ${migration} is online, so it can only contain: create [unique] index concurrently … on …`,
      );
    }
    return { name, table, isUnique: unique !== undefined, rest };
  });
}

/**
 * Builds an index without blocking writes. If the build is interrupted, the next run resumes it: valid indexes are
 * kept, and an invalid index is dropped and built again.
 */
export async function buildIndex(client: Client, build: IndexBuild, report: Report): Promise<void> {
  // A concurrent build waits for older transactions without blocking other transactions, so it needs no timeout.
  await client.query("set lock_timeout = 0; set statement_timeout = 0");
  if (await isPartitioned(client, build.table)) await buildOnPartitions(client, build, report);
  else await buildOn(client, build, report);
}

async function buildOn(client: Client, build: IndexBuild, report: Report): Promise<void> {
  const state = await readState(client, build.name);
  if (state === "valid") return;
  if (state === "invalid") await client.query(`drop index concurrently ${build.name}`);
  report({ kind: "building", index: build.name, table: build.table });
  const { name, table, isUnique, rest } = build;
  await client.query(`create ${isUnique ? "unique " : ""}index concurrently ${name} on ${table} ${rest}`);
}

/**
 * Builds the index on each partition and attaches it, because PostgreSQL can't build an index on a partitioned table
 * concurrently.
 */
async function buildOnPartitions(client: Client, build: IndexBuild, report: Report): Promise<void> {
  const { name, table, isUnique, rest } = build;
  if ((await readState(client, name)) === "valid") return;
  // From now on, new partitions get the index automatically.
  const declare = `create ${isUnique ? "unique " : ""}index if not exists ${name} on only ${table} ${rest}`;
  await retryLocks(client, name, report, () => client.query(declare));
  for (;;) {
    // Listed again after each build, because old partitions can be dropped during a long one.
    const [partition] = await listPartitionsWithout(client, name, table);
    if (partition === undefined) return;
    await client.query("set lock_timeout = 0");
    // Names are limited to 63 bytes. The end of a partition's name distinguishes it from other partitions.
    const part = `${name}_${partition.slice(-8)}`;
    await buildOn(client, { ...build, name: part, table: partition }, report);
    await retryLocks(client, part, report, () => client.query(`alter index ${name} attach partition ${part}`));
  }
}

async function isPartitioned(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ kind: string }>(
    "select relkind as kind from pg_class where oid = $1::regclass",
    [table],
  );
  return rows[0]?.kind === "p";
}

async function readState(client: Client, name: string): Promise<"absent" | "invalid" | "valid"> {
  const { rows } = await client.query<{ valid: boolean }>(
    "select indisvalid as valid from pg_index where indexrelid = to_regclass($1)",
    [name],
  );
  if (rows[0] === undefined) return "absent";
  return rows[0].valid ? "valid" : "invalid";
}

async function listPartitionsWithout(client: Client, name: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select part.oid::regclass::text as name
       from pg_inherits as of_table join pg_class as part on part.oid = of_table.inhrelid
      where of_table.inhparent = $2::regclass
        and not exists (
          select from pg_inherits as of_index join pg_index as one on one.indexrelid = of_index.inhrelid
           where of_index.inhparent = $1::regclass and one.indrelid = part.oid)
      order by 1`,
    [name, table],
  );
  return rows.map((row) => row.name);
}
