import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type IndexBuild, readIndexBuilds } from "./index-build.ts";
import { includeFunctions } from "./read-functions.ts";

/** A numbered SQL file. A merged file is never edited, which the checksum enforces. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Text of the file, with the functions that its tables need. */
  readonly sql: string;
  /** Checksum of the file. It doesn't cover functions. */
  readonly checksum: string;
  /**
   * Earlier migrations that this one replaces, in order. They end with its own number. A database that has all of them
   * doesn't run it.
   */
  readonly replaces: readonly ReplacedMigration[];
  /**
   * Lowest schema number that a build must support to run on the database after this migration. Null for additive
   * migrations, after which earlier builds keep running. Set by a first line `-- contract: runs from schema 40`.
   */
  readonly runsFrom: number | null;
  /**
   * Indexes in a file that starts with `-- online`, built one by one without blocking. Null for SQL in one transaction.
   */
  readonly indexes: readonly IndexBuild[] | null;
}

interface ReplacedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** Lists, for each migration that replaces others, their names and checksums. */
const REPLACED_FILE = "replaced.json";
const CONTRACT = /^-- contract: runs from schema (\d+)\n/;
const ONLINE = /^-- online\b/;

/** Reads the migrations of this build, in order. */
export function readMigrations(folder = join(import.meta.dirname, "../../migrations")): Migration[] {
  const replaced = readReplaced(folder);
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".sql".length);
      const migration = describeMigration(name, readFileSync(join(folder, file), "utf8"), replaced[name]);
      return { ...migration, sql: includeFunctions(migration.sql, join(folder, "../functions")) };
    });
  for (const [index, migration] of migrations.entries()) {
    const expected = newestNumber(migrations.slice(0, index)) + 1;
    if (firstNumber(migration) !== expected) {
      throw new Error(`migration ${migration.name} must have number ${expected}, or replace migrations from it on`);
    }
  }
  return migrations;
}

/** Returns the schema number of a database that has these migrations. */
export function newestNumber(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0;
}

/** Returns the number of the first migration that this one replaces, or its own. */
export function firstNumber({ number, replaces }: Migration): number {
  return replaces[0]?.number ?? number;
}

function readReplaced(folder: string): Partial<Record<string, Record<string, string>>> {
  const file = join(folder, REPLACED_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Parses a migration's properties from its name and its first line. */
export function describeMigration(
  name: string,
  sql: string,
  replaced: Readonly<Record<string, string>> = {},
): Migration {
  const contract = CONTRACT.exec(sql);
  return {
    number: numberOf(name),
    name,
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
    replaces: Object.entries(replaced).map(([old, checksum]) => ({ number: numberOf(old), name: old, checksum })),
    runsFrom: contract === null ? null : Number(contract[1]),
    indexes: ONLINE.test(sql) ? readIndexBuilds(name, sql) : null,
  };
}

/** Returns the number at the beginning of a migration's name. */
export function numberOf(name: string): number {
  return Number(name.slice(0, 4));
}
