import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { WorkingCopy } from "../adversary/working-copy.ts";

/** Outcome of the tests of an area. A file that cannot be loaded is not a failed check. */
export type TestOutcome =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly names: readonly string[] }
  | { readonly kind: "broken"; readonly reason: string };

/** The parts that are read from the report of Vitest. */
interface VitestReport {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const RUN_LIMIT_MS = 600_000;
const REPORT = "node_modules/.planted-report.json";
const SHOWN_ERROR_LINES = 12;

/** Runs test files or folders in a working copy. */
export async function runTests(copy: WorkingCopy, tests: readonly string[]): Promise<TestOutcome> {
  const report = join(copy.folder, REPORT);
  rmSync(report, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", `--outputFile=${REPORT}`, ...tests];
  const { exitCode, output, errors } = await copy.run(process.execPath, args, RUN_LIMIT_MS);
  return judgeReport(readReport(report), exitCode, `${output}${errors}`);
}

/** Judges a run by its report, its exit code, and its last lines of output. */
export function judgeReport(report: VitestReport | null, exitCode: number | null, output: string): TestOutcome {
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  const names = results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  if (names.length > 0) return { kind: "failed", names };
  if (exitCode === 0 && report !== null && report.numTotalTests > 0) return { kind: "passed" };
  const lines = output.trimEnd().split("\n").slice(-SHOWN_ERROR_LINES);
  return { kind: "broken", reason: [`the run ended with ${exitCode} and no failed test:`, ...lines].join("\n      ") };
}

function readReport(path: string): VitestReport | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  } catch {
    // A run that ends early writes no report, or half of one.
    return null;
  }
}
