import { spawnSync } from "node:child_process";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../node_modules/.bin");

/** Steps of `bin/pnpm check`, fastest feedback first. */
const checks: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[] = [
  { name: "format and lint", command: join(bin, "biome"), args: ["check", "--error-on-warnings", "."] },
  { name: "floating promises", command: join(bin, "oxlint"), args: ["--type-aware", "--quiet"] },
  { name: "types", command: join(bin, "tsc"), args: ["--noEmit", "-p", "."] },
  { name: "types of the console", command: join(bin, "tsc"), args: ["--noEmit", "-p", "apps/ui"] },
  { name: "phrases", command: process.execPath, args: ["scripts/words/check-phrases.ts"] },
  {
    name: "words",
    command: join(bin, "cspell"),
    args: [
      "lint",
      "--no-progress",
      "--no-summary",
      "--relative",
      "--cache",
      "--cache-location",
      "node_modules/.cache/cspell",
    ],
  },
  { name: "generated files", command: process.execPath, args: ["scripts/generate.ts", "--check"] },
];

let failed = 0;
for (const { name, command, args } of checks) {
  const startedAtMs = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.log(`${status === 0 ? "✓" : "✗"} ${name} (${seconds} s)`);
  if (status === 0) continue;
  failed += 1;
  console.log(`${stdout}${stderr}`);
}
process.exitCode = failed === 0 ? 0 : 1;
