import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readFunctions } from "./read-functions.ts";
import { readMigrations } from "./read-migrations.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const DEFINITION = /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:\w+\.)?(\w+)\s*\(/gi;

test("each function is defined in exactly one file, which has its name", () => {
  const names = new Set(readFunctions().map(({ name }) => name));
  const places = new Set<string>();
  // The cases of tampering replace functions on purpose.
  for (const file of listFiles("*.sql", "*.ts", ":!*.test.ts", ":!tests/adversary/tamper/*")) {
    for (const name of definedIn(readFileSync(join(REPOSITORY, file), "utf8"))) {
      if (names.has(name)) places.add(`${name} in ${file}`);
    }
  }
  expect([...places].sort()).toEqual([...names].map((name) => `${name} in packages/db/functions/${name}.sql`).sort());
});

test("a function's file defines nothing else and can be applied again", () => {
  for (const { name, sql } of readFunctions()) {
    expect(new Set(definedIn(sql)), name).toEqual(new Set([name]));
    const text = sql.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "");
    expect(text.match(/\bcreate (?!or replace function)/i), name).toBeNull();
  }
});

test("migrations define no function", () => {
  for (const file of listFiles("packages/db/migrations/*.sql")) {
    expect(definedIn(readFileSync(join(REPOSITORY, file), "utf8")), file).toEqual([]);
  }
  expect(readMigrations().length).toBeGreaterThan(0);
});

function definedIn(text: string): string[] {
  return [...text.matchAll(DEFINITION)].map((match) => match[1] as string);
}

function listFiles(...patterns: string[]): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const listed = execFileSync("git", args, { cwd: REPOSITORY, encoding: "utf8" });
  return listed.split("\0").filter((file) => file !== "");
}
