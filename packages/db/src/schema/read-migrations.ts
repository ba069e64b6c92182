import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type IndexBuild, readIndexBuilds } from "./index-build.ts";

/** A numbered SQL file. A merged file is never edited, which the checksum enforces. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
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

const CONTRACT = /^-- contract: runs from schema (\d+)\n/;
const ONLINE = /^-- online\b/;

/** Reads the migrations of this build, in order. */
export function readMigrations(folder = join(import.meta.dirname, "../../migrations")): Migration[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return files.map((file, index) => {
    const migration = describeMigration(file.slice(0, -".sql".length), readFileSync(join(folder, file), "utf8"));
    if (migration.number !== index + 1) throw new Error(`migration ${file} must have number ${index + 1}`);
    return migration;
  });
}

/** Parses a migration's properties from its name and its first line. */
export function describeMigration(name: string, sql: string): Migration {
  const contract = CONTRACT.exec(sql);
  return {
    number: Number(name.slice(0, 4)),
    name,
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
    runsFrom: contract === null ? null : Number(contract[1]),
    indexes: ONLINE.test(sql) ? readIndexBuilds(name, sql) : null,
  };
}
