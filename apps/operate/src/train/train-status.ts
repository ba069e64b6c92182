import { relative } from "node:path";
import { parseArgs } from "node:util";
import { findLockHolder } from "@tollgate/coordinator/journal/run-lock.ts";
import { cleanText } from "@tollgate/coordinator/progress/clean-text.ts";
import { findRun } from "@tollgate/coordinator/project/find-run.ts";
import { readRun } from "@tollgate/coordinator/project/read-run.ts";
import { formatScore } from "@tollgate/coordinator/report/format-figure.ts";
import type { RunHistory } from "@tollgate/coordinator/run-history.ts";
import { EXIT, type Io } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";
import { runName } from "./run-name.ts";

const USAGE = `Show the progress of a run.

  tollgate train status
  tollgate train status tr_01J… --json

Without a run ID, the most recent run is used.
`;

/** `tollgate train status`: prints a summary of a run, or its entire history as JSON. */
export async function trainStatus(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  try {
    const dir = findRun(io.cwd, positionals[0]);
    const history = await readRun(dir);
    const isRunning = (await findLockHolder(dir)) !== null;
    io.stdout.write(
      values.json
        ? `${JSON.stringify({ ...history, isRunning })}\n`
        : describe(history, isRunning, { dir: relative(io.cwd, dir), name: runName(io.cwd, dir) }),
    );
    return EXIT.ok;
  } catch (error) {
    return reportTrainFailure(io, error);
  }
}

function describe(history: RunHistory, isRunning: boolean, { dir, name }: { dir: string; name: string }): string {
  const done = history.rounds.filter(({ state }) => state === "committed").length;
  const last = history.rounds.findLast(({ accuracy }) => accuracy !== null);
  const facts = [
    ["run", `${history.run} · ${cleanText(history.name)}`],
    ["state", describeState(history, isRunning, name)],
    ["rounds", `${done} of ${history.plannedRounds} committed`],
    ["accuracy", last === undefined ? "–" : `${formatScore(last.accuracy as number)} in round ${last.round}`],
    ["best", history.best === null ? "–" : `${formatScore(history.best.score)} in round ${history.best.round}`],
    ["directory", dir || "."],
  ];
  const troubled = history.participants.filter(({ failedRoundsInARow }) => failedRoundsInARow > 0);
  const notes = troubled.map(({ id, quarantined, failedRoundsInARow }) => [
    id,
    quarantined ? "quarantined" : `failed in its last ${failedRoundsInARow} rounds`,
  ]);
  return `${[...facts, ...notes].map(([name = "", text]) => `  ${name.padEnd(10)} ${text}`).join("\n")}\n`;
}

function describeState({ state, reason }: RunHistory, isRunning: boolean, name: string): string {
  if (isRunning) return "running";
  if (state === "finished") return "finished";
  const why = reason === null ? "" : `: ${cleanText(reason)}`;
  return `${state === "open" ? "interrupted" : state}${why}; to resume, run  tollgate train resume ${name}`;
}
