import type { CaseFailure, summarize } from "./report.ts";
import type { WorkingCopy } from "./working-copy.ts";

/** The last line that a run prints. */
type Summary = ReturnType<typeof summarize>;

/** Result of running cases without their fix. */
export interface RunResult {
  /** The reason why the result does not count; null if every case failed, as expected. */
  readonly problem: string | null;
  /** Null if the run ended before it printed a result. */
  readonly summary: Summary | null;
}

/** Time limit for three cases, including the start of the stage. */
const RUN_LIMIT_MS = 1_200_000;
const SHOWN_ERROR_LINES = 12;

/** Runs cases in a working copy without their fix. Only a failed check counts as a failure. A crash doesn't. */
export async function runReverted(copy: WorkingCopy, cases: readonly string[], seed: number): Promise<RunResult> {
  const args = ["tests/adversary/run.ts", "--only", cases.join(","), "--json", "--seed", String(seed)];
  const { exitCode, output, errors } = await copy.run(process.execPath, args, RUN_LIMIT_MS);
  const summary = readSummary(output);
  if (summary === null) {
    const lines = `${output}${errors}`.trimEnd().split("\n").slice(-SHOWN_ERROR_LINES);
    return { problem: [`the run ended with ${exitCode} and no result:`, ...lines].join("\n      "), summary };
  }
  return { problem: findProblem(cases, summary, exitCode), summary };
}

function findProblem(cases: readonly string[], { failures, skipped }: Summary, exitCode: number | null): string | null {
  const failed = new Map(failures.map((failure): [string, CaseFailure] => [failure.name, failure]));
  const problems = cases.flatMap((name) => {
    if (skipped.some((each) => each.name === name)) return [`${name} was skipped`];
    const failure = failed.get(name);
    if (failure === undefined) return [`${name} passes without the fix`];
    return failure.isCrash ? [`${name} crashed`] : [];
  });
  if (problems.length === 0 && exitCode !== 1) problems.push(`the run ended with ${exitCode} instead of 1`);
  return problems.length === 0 ? null : problems.join("; ");
}

function readSummary(output: string): Summary | null {
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  try {
    const summary = JSON.parse(last) as Partial<Summary> | null;
    return Array.isArray(summary?.failures) ? (summary as Summary) : null;
  } catch {
    // The last line of a run that ended early is plain text.
    return null;
  }
}
