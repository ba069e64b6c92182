import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatReport } from "./stages/format-report.ts";
import { readJsonLine, readTestReport } from "./stages/read-result.ts";
import { describeRun, runStages, sumUp } from "./stages/run-stages.ts";
import type { EndedStage, Stage, StageResult } from "./stages/stage.ts";

const USAGE = `Run everything that is too slow for CI, in full, and write one report.

  scripts/nightly
  scripts/nightly --only chaos,upgrade

  --only NAMES   only these suites, separated by commas
  --list         print the suites and their commands, and run nothing
  --out DIR      folder for the report, nightly.md, and the output of each suite (default: a new temporary folder)

A failed suite does not stop the run. The report is rewritten after each suite, so an interrupted run leaves one, too.
`;

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    list: { type: "boolean", default: false },
    out: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

/**
 * The suites. Chaos takes an hour, has engines of its own, and waits for most of it, so all other suites run beside it.
 * Only the bench needs a machine of its own.
 */
function listStages(out: string): readonly Stage[] {
  const shared: readonly Stage[] = [
    suite("chaos", "tests/chaos/run.ts"),
    vitest(out, "long", ["--project=long"]),
    // CI runs these with a sample of the sequences and calls.
    vitest(out, "permissions", ["tests/platform/lattice", "tests/platform/tenants"], {
      LATTICE_SEQUENCES: "1000",
      TENANT_CALLS: "60",
    }),
    vitest(out, "routing", ["chat-completions-mixed", "session-affinity"], {
      MIXED_REQUESTS: "10000",
      AFFINITY_SESSIONS: "200",
      AFFINITY_TURNS: "30",
    }),
    vitest(out, "prices", ["hold-covers-price", "price-versions"], { PRICE_CASES: "100000" }),
    suite("simulate", "tests/simulate/run.ts", "--seeds", "10000"),
    suite("packed", "tests/packed/run.ts"),
    suite("deploy", "tests/deploy/run.ts"),
    suite("observe", "tests/observe/run.ts"),
    single("restore", "tests/restore/run.ts"),
    single("restore-lost-journals", "tests/restore/run.ts", "--lose-journals"),
    single("upgrade", "tests/rolling/upgrade.ts"),
    single("rolling", "tests/rolling/run.ts"),
    suite("adversary", "tests/adversary/run.ts"),
    suite("conformance", "tests/conformance/run.ts"),
    suite("e2e", "tests/e2e/run.ts"),
    { name: "planted", command: "node", args: ["tests/planted/run.ts"], readResult: readPlanted },
    suite("see-it-fail", "tests/adversary/see-it-fail.ts"),
  ];
  return [...shared.map((stage) => ({ ...stage, isPatient: true })), single("bench", "tests/bench/run.ts")];
}

/** A suite whose JSON line counts its checks. */
function suite(name: string, program: string, ...args: readonly string[]): Stage {
  return { ...single(name, program, ...args), readResult: readJsonLine };
}

/** A suite that is a single check. Its JSON line has only figures. */
function single(name: string, program: string, ...args: readonly string[]): Stage {
  return { name, command: "node", args: [program, ...args, "--json"] };
}

/** Reads the result of the planted defects: the tests must catch each of them. */
function readPlanted(lastLine: string): StageResult {
  const { caught, missed } = JSON.parse(lastLine) as { readonly caught: number; readonly missed: readonly string[] };
  return { passed: caught, failed: missed.length, skipped: [] };
}

function vitest(
  out: string,
  name: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Stage {
  const file = join(out, `${name}.json`);
  const settings = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`);
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  return {
    name,
    command: "env",
    args: [...settings, join(root, "node_modules/.bin/vitest"), "run", ...args, ...reporters],
    readResult: () => readTestReport(file, root),
  };
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const out = resolve(values.out ?? join(tmpdir(), `tollgate-nightly-${process.pid}`));
  const all = listStages(out);
  const names = values.only?.split(",").map((name) => name.trim());
  const unknown = names?.filter((name) => !all.some((stage) => stage.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no such suite: ${unknown.join(", ")}`);
  const stages = all.filter(({ name }) => names === undefined || names.includes(name));
  if (values.list) {
    for (const { name, command, args } of stages) console.log(`${name.padEnd(22)} ${command} ${args.join(" ")}`);
    return 0;
  }
  mkdirSync(out, { recursive: true });
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const startedAt = new Date();
  const ended: EndedStage[] = [];
  const report = join(out, "nightly.md");
  const logOf = ({ name }: Stage) => join(out, `${name}.log`);
  for (const stage of stages) rmSync(logOf(stage), { force: true });
  await runStages(stages, {
    root,
    onOutput: (stage, chunk) => appendFileSync(logOf(stage), chunk),
    onEnd: (one) => {
      ended.push(one);
      writeFileSync(report, formatReport({ commit, startedAt, endedAt: new Date(), stages, ended }));
    },
  });
  console.log(`\nreport: ${report}\n\n${describeRun(ended)}`);
  return sumUp(ended).failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
