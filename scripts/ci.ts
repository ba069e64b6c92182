import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How much of a stage went well. */
interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Stage {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Reads the count from what the stage printed; a stage without one counts as a single check. */
  readonly count?: (lastLine: string) => Count;
}

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "tollgate-ci-"));
const testReport = join(scratch, "tests.json");

const stages: readonly Stage[] = [
  { name: "check", command: "node", args: ["scripts/check.ts"] },
  // Without Go, or a way to the internet, the tests that ask it are skipped.
  { name: "stripe-mock", command: "bash", args: ["-c", "scripts/stripe-mock install || true"] },
  {
    name: "tests",
    command: join(root, "node_modules/.bin/vitest"),
    args: ["run", "--reporter=dot", "--reporter=json", `--outputFile.json=${testReport}`],
    count: () => readTestReport(),
  },
  {
    name: "simulation",
    command: "node",
    args: ["tests/simulate/run.ts", "--seeds", "500", "--json"],
    count: readCount,
  },
  { name: "Python SDK", command: join(root, "scripts/python-sdk"), args: ["--json"], count: readCount },
  { name: "examples", command: "node", args: ["scripts/run-examples.ts"], count: readCount },
  { name: "first minute", command: "node", args: ["tests/first-minute/run.ts"] },
  {
    name: "conformance",
    command: "node",
    args: ["tests/conformance/run.ts", "--quick", "--json", "--seed", "20261115"],
    count: readCount,
  },
  { name: "end to end", command: "node", args: ["tests/e2e/run.ts", "--quick", "--json"], count: readCount },
  { name: "chaos", command: "node", args: ["tests/chaos/run.ts", "--quick", "--json", "--seed", "20261115"] },
  { name: "bench smoke", command: "node", args: ["scripts/bench-smoke.ts"] },
];

async function main(): Promise<number> {
  // Gigabytes that an example needs later: fetched while the machine mostly computes. If it fails, the example says so.
  spawn(join(root, "scripts/ml-examples"), ["pytorch"], { cwd: root, stdio: "ignore" });
  let passed = 0;
  let failed = 0;
  for (const stage of stages) {
    const startedAtMs = performance.now();
    console.log(`\n=== ${stage.name}`);
    const { status, lastLine } = await run(stage);
    const count = countOf(stage, status, lastLine);
    passed += count.passed;
    failed += count.failed;
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
    console.log(`=== ${stage.name}: ${count.passed} passed, ${count.failed} failed, ${seconds} s`);
  }
  rmSync(scratch, { recursive: true, force: true });
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function countOf(stage: Stage, status: number, lastLine: string): Count {
  const plain = status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (stage.count === undefined) return plain;
  try {
    const count = stage.count(lastLine);
    // A runner that failed without a failed test still failed.
    return status !== 0 && count.failed === 0 ? { passed: count.passed, failed: 1 } : count;
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function run(stage: Stage): Promise<{ status: number; lastLine: string }> {
  return new Promise((resolve) => {
    const child = spawn(stage.command, [...stage.args], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    let tail = "";
    child.stdout.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk);
      tail = (tail + chunk.toString("utf8")).slice(-100_000);
    });
    child.once("close", (code) => resolve({ status: code ?? 1, lastLine: tail.trimEnd().split("\n").at(-1) ?? "" }));
  });
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
