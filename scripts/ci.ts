import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJsonLine, readTestReport } from "./stages/read-result.ts";
import { describeRun, runStages, sumUp } from "./stages/run-stages.ts";
import type { Stage } from "./stages/stage.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "tollgate-ci-"));
const testReport = join(scratch, "tests.json");

const stages: readonly Stage[] = [
  { name: "check", command: "node", args: ["scripts/check.ts"] },
  { name: "supply chain", command: "node", args: ["scripts/supply-chain.ts", "--json"], readResult: readJsonLine },
  // Without Go or internet access, the tests that need it are skipped.
  { name: "stripe-mock", command: "bash", args: ["-c", "scripts/stripe-mock install || true"] },
  { name: "versitygw", command: "bash", args: ["-c", "scripts/versitygw install || true"] },
  {
    name: "tests",
    command: join(root, "node_modules/.bin/vitest"),
    args: ["run", "--project=!long", "--reporter=dot", "--reporter=json", `--outputFile.json=${testReport}`],
    readResult: () => readTestReport(testReport, root),
  },
  {
    name: "simulation",
    command: "node",
    args: ["tests/simulate/run.ts", "--seeds", "500", "--json"],
    readResult: readJsonLine,
  },
  {
    name: "first minute",
    command: "node",
    args: ["tests/first-minute/run.ts", "--json", "--record", join(scratch, "first-minute.svg")],
    readResult: readJsonLine,
  },
  // Measures how soon a user of the package gets a completion, so nothing runs beside it.
  { name: "packed", command: "node", args: ["tests/packed/run.ts", "--quick", "--json"], readResult: readJsonLine },
  {
    name: "page budgets",
    command: "node",
    args: ["tests/e2e/run.ts", "--quick", "--json", "--only", "budgets"],
    readResult: readJsonLine,
  },
  // The longest patient stages come first, so that the last ones end at about the same time.
  {
    name: "conformance",
    command: "node",
    args: ["tests/conformance/run.ts", "--quick", "--json", "--seed", "20261115"],
    readResult: readJsonLine,
    isPatient: true,
  },
  { ...patient("end to end", "tests/e2e/run.ts", "--only", "journey,pages,fallback,docs"), readResult: readJsonLine },
  { ...patient("documentation", "tests/docs/run-blocks.ts"), readResult: readJsonLine },
  {
    name: "Python SDK",
    command: join(root, "scripts/python-sdk"),
    args: ["--json"],
    readResult: readJsonLine,
    isPatient: true,
  },
  patient("restore", "tests/restore/run.ts"),
  { ...patient("deploy", "tests/deploy/run.ts"), readResult: readJsonLine },
  { name: "examples", command: "node", args: ["scripts/run-examples.ts"], readResult: readJsonLine, isPatient: true },
  patient("rolling restarts", "tests/rolling/run.ts", "--restarts", "2"),
  { ...patient("observe", "tests/observe/run.ts"), readResult: readJsonLine },
  {
    name: "chaos",
    command: "node",
    // Kills a gateway, the journal and the database, and disconnects clients. `bin/pnpm chaos` runs all cells.
    args: ["tests/chaos/run.ts", "--quick", "--json", "--seed", "20261115", "--cells", "F1,F17,F23,F38"],
    readResult: readJsonLine,
    isPatient: true,
  },
  {
    name: "adversary",
    command: "node",
    args: ["tests/adversary/run.ts", "--quick", "--json", "--seed", "20261116"],
    readResult: readJsonLine,
    isPatient: true,
  },
  { name: "bench smoke", command: "node", args: ["scripts/bench-smoke.ts"] },
];

function patient(name: string, program: string, ...more: readonly string[]): Stage {
  return { name, command: "node", args: [program, "--quick", "--json", ...more], isPatient: true };
}

async function main(): Promise<number> {
  // Download gigabytes for a later example while the machine is busy computing. If it fails, the example reports it.
  spawn(join(root, "scripts/ml-examples"), ["pytorch"], { cwd: root, stdio: "ignore" });
  const all = await runStages(stages, { root });
  rmSync(scratch, { recursive: true, force: true });
  console.log(`\n${describeRun(all)}`);
  return sumUp(all).failed === 0 ? 0 : 1;
}

process.exitCode = await main();
