import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Numbers of passed and failed checks in a stage. */
interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Stage {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Reads the count from the stage's output. A stage without one counts as a single check. */
  readonly count?: (lastLine: string) => Count;
  /** True if the stage measures nothing and mostly waits, so that it can run alongside similar stages. */
  readonly isPatient?: boolean;
}

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "tollgate-ci-"));
const KEPT_CHARACTERS = 100_000;
const LAST_LINES = 30;
const MAX_LINE = 300;
/** Maximum number of concurrent patient stages: one per core. */
const PATIENT_AT_ONCE = 2;
const testReport = join(scratch, "tests.json");

const stages: readonly Stage[] = [
  { name: "check", command: "node", args: ["scripts/check.ts"] },
  { name: "supply chain", command: "node", args: ["scripts/supply-chain.ts", "--json"], count: readCount },
  // Without Go or internet access, the tests that need it are skipped.
  { name: "stripe-mock", command: "bash", args: ["-c", "scripts/stripe-mock install || true"] },
  {
    name: "tests",
    command: join(root, "node_modules/.bin/vitest"),
    args: ["run", "--project=!long", "--reporter=dot", "--reporter=json", `--outputFile.json=${testReport}`],
    count: () => readTestReport(),
  },
  {
    name: "simulation",
    command: "node",
    args: ["tests/simulate/run.ts", "--seeds", "500", "--json"],
    count: readCount,
  },
  {
    name: "first minute",
    command: "node",
    args: ["tests/first-minute/run.ts", "--record", join(scratch, "first-minute.svg")],
  },
  { name: "packed", command: "node", args: ["tests/packed/run.ts", "--quick", "--json"], count: readCount },
  {
    name: "Python SDK",
    command: join(root, "scripts/python-sdk"),
    args: ["--json"],
    count: readCount,
    isPatient: true,
  },
  { name: "examples", command: "node", args: ["scripts/run-examples.ts"], count: readCount, isPatient: true },
  { ...patient("documentation", "tests/docs/run-blocks.ts"), count: readCount },
  { ...patient("deploy", "tests/deploy/run.ts"), count: readCount },
  { ...patient("observe", "tests/observe/run.ts"), count: readCount },
  patient("restore", "tests/restore/run.ts"),
  patient("rolling restarts", "tests/rolling/run.ts", "--restarts", "2"),
  {
    name: "conformance",
    command: "node",
    args: ["tests/conformance/run.ts", "--quick", "--json", "--seed", "20261115"],
    count: readCount,
  },
  {
    name: "end to end",
    command: "node",
    args: ["tests/e2e/run.ts", "--quick", "--json", "--only", "journey,pages,fallback,budgets,docs"],
    count: readCount,
  },
  {
    name: "chaos",
    command: "node",
    // Kills a gateway, the journal and the database, and disconnects clients. `bin/pnpm chaos` runs all cells.
    args: ["tests/chaos/run.ts", "--quick", "--json", "--seed", "20261115", "--cells", "F1,F17,F23,F38"],
  },
  { name: "adversary", command: "node", args: ["tests/adversary/run.ts", "--quick", "--json", "--seed", "20261116"] },
  { name: "bench smoke", command: "node", args: ["scripts/bench-smoke.ts"] },
];

function patient(name: string, program: string, ...more: readonly string[]): Stage {
  return { name, command: "node", args: [program, "--quick", "--json", ...more], isPatient: true };
}

async function main(): Promise<number> {
  // Download gigabytes for a later example while the machine is busy computing. If it fails, the example reports it.
  spawn(join(root, "scripts/ml-examples"), ["pytorch"], { cwd: root, stdio: "ignore" });
  const total = { passed: 0, failed: 0 };
  const complaints: string[] = [];
  for (const group of groupStages()) {
    const waiting = [...group];
    const work = async () => {
      for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
        tell(await run(stage), total, complaints);
      }
    };
    await Promise.all(group.slice(0, PATIENT_AT_ONCE).map(work));
  }
  rmSync(scratch, { recursive: true, force: true });
  // Repeat failures at the end, where they are seen first.
  for (const complaint of complaints) console.log(`\n${complaint}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

/** Groups stages in order. Stages that can run concurrently share a group. */
function groupStages(): readonly (readonly Stage[])[] {
  const groups: Stage[][] = [];
  for (const stage of stages) {
    const last = groups.at(-1);
    if (stage.isPatient === true && last?.[0]?.isPatient === true) last.push(stage);
    else groups.push([stage]);
  }
  return groups;
}

function tell(
  { stage, status, lastLine, tail, seconds }: Ended,
  total: { passed: number; failed: number },
  complaints: string[],
) {
  const count = countOf(stage, status, lastLine);
  total.passed += count.passed;
  total.failed += count.failed;
  if (count.failed > 0) complaints.push(`--- ${stage.name} failed; it said last:\n${endOf(tail)}`);
  console.log(`=== ${stage.name}: ${count.passed} passed, ${count.failed} failed, ${seconds} s`);
}

function countOf(stage: Stage, status: number, lastLine: string): Count {
  const plain = status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (stage.count === undefined) return plain;
  try {
    const count = stage.count(lastLine);
    // A runner that failed without a failed test still counts as a failure.
    return status !== 0 && count.failed === 0 ? { passed: count.passed, failed: 1 } : count;
  } catch {
    return { passed: 0, failed: 1 };
  }
}

interface Ended {
  readonly stage: Stage;
  readonly status: number;
  readonly lastLine: string;
  readonly tail: string;
  readonly seconds: string;
}

function run(stage: Stage): Promise<Ended> {
  const startedAtMs = performance.now();
  console.log(`\n=== ${stage.name}`);
  return new Promise((resolve) => {
    const child = spawn(stage.command, [...stage.args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let tail = "";
    let printed = "";
    const keep = (chunk: Buffer) => {
      tail = (tail + chunk.toString("utf8")).slice(-KEPT_CHARACTERS);
    };
    // The result is the last line of standard output; warnings go to standard error.
    child.stdout.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString("utf8")).slice(-KEPT_CHARACTERS);
    });
    child.stdout.on("data", keep).pipe(process.stdout, { end: false });
    child.stderr.on("data", keep).pipe(process.stderr, { end: false });
    child.once("close", (code) => {
      const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
      resolve({ stage, status: code ?? 1, lastLine: printed.trimEnd().split("\n").at(-1) ?? "", tail, seconds });
    });
  });
}

/** Returns failed lines and the last lines of the output, each truncated. */
function endOf(tail: string): string {
  const lines = tail.trimEnd().split("\n");
  const failures = lines.slice(0, -LAST_LINES).filter((line) => /✗|FAIL|Error:/.test(line));
  const shown = [...failures.slice(-LAST_LINES), ...lines.slice(-LAST_LINES)];
  return shown.map((line) => line.slice(0, MAX_LINE)).join("\n");
}

function readTestReport(): Count {
  const report = JSON.parse(readFileSync(testReport, "utf8")) as { numPassedTests: number; numFailedTests: number };
  return { passed: report.numPassedTests, failed: report.numFailedTests };
}

function readCount(lastLine: string): Count {
  const { passed, failed } = JSON.parse(lastLine) as Count;
  return { passed, failed };
}

process.exitCode = await main();
