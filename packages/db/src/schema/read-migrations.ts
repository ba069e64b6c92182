import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type IndexBuild, readIndexBuilds } from "./index-build.ts";

/** One numbered file of SQL. Once merged it is never edited, which its checksum proves. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /**
   * The oldest schema a build may know and still run on the database afterwards. Null for what only adds: whatever ran
   * before runs on. A first line `-- contract: runs from schema 40` sets it.
   */
  readonly runsFrom: number | null;
  /** Indexes of a file that begins with `-- online`: built one by one while everything runs. Null: SQL, in one transaction. */
  readonly indexes: readonly IndexBuild[] | null;
}

const CONTRACT = /^-- contract: runs from schema (\d+)\n/;
const ONLINE = /^-- online\b/;

/** The migrations of this build, in order. */
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

/** What a file says of itself in its name and its first line. */
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
