import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Release } from "./release.ts";

const root = resolve(import.meta.dirname, "../../..");
const COPIED = ["apps", "packages", "sdks", "training", "bin", "scripts", "package.json"];
const LINKED = ["node_modules", "tools"];
const VERSION = "0.3.0-next";

/**
 * Returns this tree as a possible next release, with a different version and a migration that only adds objects. The
 * current release must work alongside the next release and on its schema.
 */
export function nextRelease(folder: string): Release {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  for (const name of LINKED) symlinkSync(join(root, name), join(folder, name));
  const migrations = join(folder, "packages/db/migrations");
  const files = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
  const newest = Math.max(...files.map((name) => Number.parseInt(name, 10)));
  const number = String(newest + 1).padStart(4, "0");
  writeFileSync(
    join(migrations, `${number}_next.sql`),
    [
      "-- What a release may add beneath one that does not know it.",
      "alter table teams add column next_note text;",
      "create table next_notes (id text primary key, note text not null);",
      "",
    ].join("\n"),
  );
  for (const file of ["package.json", "packages/db/package.json"]) setVersion(join(folder, file));
  return { version: VERSION, program: join(folder, "bin/tollgate") };
}

function setVersion(file: string): void {
  const described = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, `${JSON.stringify({ ...described, version: VERSION }, null, 2)}\n`);
}
