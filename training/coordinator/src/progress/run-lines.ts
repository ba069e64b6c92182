import { formatDuration, formatScore } from "../report/format-figure.ts";
import type { RoundSummary, RunFinished, RunStarted } from "../run-events.ts";
import { cleanText } from "./clean-text.ts";
import type { Paint } from "./paint.ts";

const WIDTHS = { round: 7, train: 11, evaluate: 11, accuracy: 10, spread: 17, time: 8 } as const;
const BARS = "▁▂▃▄▅▆▇█";

/** Formats the heading of a run. */
export function runHeading(
  { run, rounds, method, participants, resumedAfterRound }: RunStarted,
  isLocal: boolean,
): string {
  const kind = isLocal ? "local participant" : "participant";
  const facts = [
    `run ${run}`,
    plural(participants.length, kind),
    plural(rounds, "round"),
    `aggregate: ${method === "fedavg" ? "mean" : method}`,
  ];
  if (resumedAfterRound !== undefined) facts.push(`resumes with round ${Math.min(resumedAfterRound + 1, rounds)}`);
  return `\n  ${facts.join(" · ")}\n`;
}

/** Returns the column titles of the round lines. */
export function roundTitles(paint: Paint): string {
  const titles = `${"round".padEnd(WIDTHS.round)}${"train".padEnd(WIDTHS.train)}${"evaluate".padEnd(WIDTHS.evaluate)}${"accuracy".padEnd(WIDTHS.accuracy)}${"(min–max)".padEnd(WIDTHS.spread)}time`;
  return `  ${paint.dim(titles)}`;
}

/** Formats one round as a line: number of participants, result, duration, and failures. */
export function roundLine(summary: RoundSummary, scores: readonly number[], paint: Paint): string {
  const { round, rounds, trained, selected, evaluated, evaluators, accuracy, min, max, durationMs } = summary;
  const spread = min === null || max === null ? "–" : `${formatScore(min)}–${formatScore(max)}`;
  const cells = [
    `${round}/${rounds}`.padEnd(WIDTHS.round),
    count(trained, selected, WIDTHS.train, paint),
    evaluators === 0 ? "–".padEnd(WIDTHS.evaluate) : count(evaluated, evaluators, WIDTHS.evaluate, paint),
    (accuracy === null ? "–" : formatScore(accuracy)).padEnd(WIDTHS.accuracy),
    spread.padEnd(WIDTHS.spread),
    formatDuration(durationMs).padEnd(WIDTHS.time),
    accuracy === null ? " " : bar(accuracy, scores),
  ];
  const failures = summary.failures.map(({ participant, reason }) => `${participant}: ${cleanText(reason)}`);
  const words = failures.length === 0 ? "" : `   ${paint.bad(failures.join("; "))}`;
  return `  ${cells.join("")}${words}`.trimEnd();
}

type FileRow = readonly [name: string, path: string];

interface RunFiles {
  /** Path as the user would type it from the current directory. */
  readonly dir: string;
  readonly run: string;
  readonly finalFile: string;
  readonly hasAccuracy: boolean;
  /** Terminal width in columns. Pairs that do not fit are printed on separate lines. */
  readonly width: number;
}

/** Formats the lines after a finished run: its result and file locations. */
export function runEnding(finished: RunFinished, files: RunFiles, paint: Paint): string {
  const { firstAccuracy, lastAccuracy, durationMs, bestRound, reason } = finished;
  const change =
    firstAccuracy === null || lastAccuracy === null
      ? plural(finished.rounds, "round")
      : `accuracy ${formatScore(firstAccuracy)} → ${formatScore(lastAccuracy)}`;
  const facts = [`${change} in ${formatDuration(durationMs)}`];
  if (bestRound !== null) facts.push(`best round ${bestRound}`);
  if (reason === "target") facts.push("target reached");
  if (reason === "patience") facts.push("stopped: no improvement");
  const left: readonly FileRow[] = [
    ["history", `${files.dir}/history.jsonl`],
    ["model", `${files.dir}/final.b64`],
    ["report", `${files.dir}/report.html`],
  ];
  const right: readonly FileRow[] = [
    ["chart", `${files.dir}/${files.hasAccuracy ? "accuracy" : "durations"}.svg`],
    ["view", `tollgate train plot ${files.run}`],
    ["raw", `${files.dir}/${files.finalFile}`],
  ];
  const longest = (rows: readonly FileRow[]) => Math.max(...rows.map(([, path]) => path.length));
  const draw = ([name, path]: FileRow, nameWidth = 8) => `${paint.dim(name.padEnd(nameWidth))} ${path}`;
  const fitsInPairs = 2 + 9 + longest(left) + 3 + 7 + longest(right) <= files.width;
  const rows = fitsInPairs
    ? left.map(([name, path], index) => {
        const pair = [draw([name, path.padEnd(longest(left))]), draw(right[index] as FileRow, 6)];
        return `  ${pair.join("   ")}`;
      })
    : [...left, ...right].map((row) => `  ${draw(row)}`);
  return ["", `${paint.good("✓")} ${facts.join(" · ")}`, ...rows].join("\n");
}

/** Formats a count with its noun: `1 round`, `2 rounds`. */
export const plural = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function count(good: number, asked: number, width: number, paint: Paint): string {
  const text = `${good}/${asked} ok`.padEnd(width);
  return good === asked ? text : paint.warn(text);
}

/** Scales by value if all values are between 0 and 1; otherwise between the lowest and highest value so far. */
function bar(value: number, scores: readonly number[]): string {
  const known = [...scores, value];
  const isShare = known.every((score) => score >= 0 && score <= 1);
  const [low, high] = isShare ? [0, 1] : [Math.min(...known), Math.max(...known)];
  const part = high > low ? (value - low) / (high - low) : 0.5;
  return BARS[Math.min(BARS.length - 1, Math.floor(part * BARS.length))] as string;
}
