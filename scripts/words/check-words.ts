import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const baselineFile = join(import.meta.dirname, "baseline.json");
/** `apps/cli/src/cli-error.ts:3:43 - Forbidden word (told) fix: (sent, reported)` */
const PROBLEM = /^(?<file>.+?):\d+:\d+ - Forbidden word/;

/** Flagged words per area. An area is the first two folders of a path. */
export type WordCounts = Readonly<Record<string, number>>;

/** Counts the flagged words in cspell's report by area. */
export function countByArea(report: string): WordCounts {
  const counts = new Map<string, number>();
  for (const line of report.split("\n")) {
    const file = PROBLEM.exec(line)?.groups?.file;
    if (file === undefined) continue;
    const area = file.split("/").slice(0, -1).slice(0, 2).join("/") || ".";
    counts.set(area, (counts.get(area) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].toSorted(([one], [other]) => one.localeCompare(other)));
}

/** The areas that have more flagged words than the baseline allows. An area that is not listed allows none. */
export function areasAbove(counts: WordCounts, baseline: WordCounts): readonly string[] {
  return Object.entries(counts)
    .filter(([area, count]) => count > (baseline[area] ?? 0))
    .map(([area, count]) => `${area}: ${count} flagged words, at most ${baseline[area] ?? 0} allowed`);
}

function runCspell(): string {
  const program = join(root, "node_modules/.bin/cspell");
  const { stdout, status, error } = spawnSync(
    program,
    [
      "lint",
      "--no-progress",
      "--no-summary",
      "--relative",
      "--cache",
      "--cache-location",
      "node_modules/.cache/cspell",
    ],
    { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  // 1 means that words were found; everything else is a failed run.
  if (error !== undefined || status === null || status > 1) throw new Error("cspell failed", { cause: error });
  return stdout;
}

function main(): number {
  const report = runCspell();
  const counts = countByArea(report);
  if (process.argv.includes("--shrink")) {
    writeFileSync(baselineFile, `${JSON.stringify(counts, null, 2)}\n`);
    return 0;
  }
  const above = areasAbove(counts, JSON.parse(readFileSync(baselineFile, "utf8")) as WordCounts);
  if (above.length === 0) return 0;
  const areas = above.map((line) => line.slice(0, line.indexOf(":")));
  const isAbove = (line: string) => areas.some((area) => line.startsWith(`${area}/`));
  console.log([...report.split("\n").filter(isAbove), ...above].join("\n"));
  console.log(
    "Replace the flagged words. After removing some, lower the limits: node scripts/words/check-words.ts --shrink",
  );
  return 1;
}

if (import.meta.main) process.exitCode = main();
