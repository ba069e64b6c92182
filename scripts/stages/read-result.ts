import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { SkippedCheck, StageResult } from "./stage.ts";

/** Reads the result from a suite's JSON line. The suites list skipped checks only if they can skip any. */
export function readJsonLine(lastLine: string): StageResult {
  const {
    passed,
    failed,
    skipped = [],
  } = JSON.parse(lastLine) as {
    readonly passed: number;
    readonly failed: number;
    readonly skipped?: readonly SkippedCheck[];
  };
  if (!Number.isInteger(passed) || !Number.isInteger(failed)) throw new Error("the line has no counts");
  return { passed, failed, skipped };
}

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly meta: { readonly needs?: string };
    }[];
  }[];
}

/** Reads the result from Vitest's JSON report. */
export function readTestReport(file: string, root: string): StageResult {
  const report = JSON.parse(readFileSync(file, "utf8")) as TestReport;
  const skipped = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ status, fullName, meta }) => ({
        name: `${relative(root, name)} › ${fullName.trim()}`,
        // A test without this field was skipped in its source code.
        reason: meta.needs === undefined ? status : `needs ${meta.needs}`,
      })),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped };
}
