import { execFile } from "node:child_process";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../node_modules/.bin");

interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Steps of `bin/pnpm check`, fastest feedback first, except for the words, which take as long as all others together. */
const checks: readonly Check[] = [
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
  { name: "format and lint", command: join(bin, "biome"), args: ["check", "--error-on-warnings", "."] },
  { name: "floating promises", command: join(bin, "oxlint"), args: ["--type-aware", "--quiet"] },
  { name: "types", command: join(bin, "tsc"), args: ["--noEmit", "-p", "."] },
  { name: "types of the console", command: join(bin, "tsc"), args: ["--noEmit", "-p", "apps/ui"] },
  { name: "phrases", command: process.execPath, args: ["scripts/words/check-phrases.ts"] },
  { name: "generated files", command: process.execPath, args: ["scripts/generate.ts", "--check"] },
];

/** Number of concurrent steps: one per core. The slowest step uses only one core. */
const AT_ONCE = 2;

let failed = 0;
const waiting = [...checks];
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.exitCode = failed === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await run(check);
}

function run({ name, command, args }: Check): Promise<void> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
      console.log(`${error === null ? "✓" : "✗"} ${name} (${seconds} s)`);
      if (error !== null) {
        failed += 1;
        console.log(`${stdout}${stderr}` || error.message);
      }
      resolve();
    });
  });
}
