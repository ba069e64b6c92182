import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../paths.ts";
import { folder, projects } from "./files.ts";
import { makeSecretsElsewhere } from "./secrets.ts";

// Loads every project with the library that Docker Compose uses, to check the schema, variables, merges, and
// references.

const program = `${tools}/bin/compose-spec`;
const secrets = makeSecretsElsewhere();
const made = secrets.make();
let failed = 0;

function report(name: string, isGood: boolean, text: string): void {
  console.log(`${isGood ? "✓" : "✗"} ${name}`);
  if (isGood) return;
  console.log(text);
  failed += 1;
}

/** Replaces the variables in a file, because the library's program isn't passed any environment variables. */
function fill(file: string): string {
  const text = readFileSync(join(folder, file), "utf8");
  const filled = text.replaceAll(
    /\$\{(\w+):[?-](.*?)\}/g,
    (_, name: string, fallback: string) => made[name] ?? fallback,
  );
  const path = join(secrets.folder, file);
  writeFileSync(path, filled);
  return path;
}

for (const [name, files] of Object.entries(projects)) {
  const good = spawnSync(program, files.map(fill), { cwd: folder, encoding: "utf8" });
  report(`compose ${name}: loads`, good.status === 0 && good.stderr === "", good.stderr);
  const bad = spawnSync(program, files, { cwd: folder, encoding: "utf8" });
  const isRefused = bad.status !== 0 && bad.stderr.includes("run ./make-secrets first");
  report(`compose ${name}: refuses to start without secrets`, isRefused, bad.stderr);
}
rmSync(secrets.folder, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;
