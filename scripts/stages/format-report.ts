import { listSkipped, sumUp } from "./run-stages.ts";
import type { EndedStage, Stage } from "./stage.ts";

/** Longer closing lines are truncated. The suite's log has the whole line. */
const MAX_CLOSING_LINE = 4_000;

export interface ReportedRun {
  readonly commit: string;
  readonly startedAt: Date;
  /** When the last stage ended. Stages can run beside each other, so their times don't add up to the run's. */
  readonly endedAt: Date;
  /** All stages of the run, including those that have not ended yet. */
  readonly stages: readonly Stage[];
  readonly ended: readonly EndedStage[];
}

/** Formats a run as one Markdown document: a table of the suites, the skipped checks, and each suite's closing line. */
export function formatReport({ commit, startedAt, endedAt, stages, ended }: ReportedRun): string {
  const { passed, failed } = sumUp(ended);
  const skipped = listSkipped(ended);
  const missing = stages.filter((stage) => !ended.some((one) => one.stage === stage));
  const minutes = Math.round((endedAt.getTime() - startedAt.getTime()) / 60_000);
  return [
    "# Nightly run",
    "",
    `Commit ${commit}, started ${startedAt.toISOString()}, ${minutes} minutes: ${passed} passed, ${failed} failed, ${skipped.length} skipped.`,
    "",
    "| Suite | Result | Passed | Failed | Skipped | Seconds |",
    "|---|---|---:|---:|---:|---:|",
    ...ended.map(formatRow),
    ...missing.map(({ name }) => `| ${name} | did not run | | | | |`),
    "",
    "## Skipped",
    "",
    ...(skipped.length === 0 ? ["No check was skipped."] : skipped.map((line) => `- ${line}`)),
    "",
    "## Closing lines",
    ...ended.flatMap(({ stage, lastLine }) => ["", `### ${stage.name}`, "", "```text", shorten(lastLine), "```"]),
    "",
  ].join("\n");
}

function formatRow({ stage, passed, failed, skipped, seconds }: EndedStage): string {
  const result = failed === 0 ? "passed" : "**failed**";
  return `| ${stage.name} | ${result} | ${passed} | ${failed} | ${skipped.length} | ${seconds} |`;
}

function shorten(line: string): string {
  return line.length <= MAX_CLOSING_LINE ? line : `${line.slice(0, MAX_CLOSING_LINE)}…`;
}
