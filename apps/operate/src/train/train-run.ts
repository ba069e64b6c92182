import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findPlan } from "@tollgate/coordinator/project/find-plan.ts";
import { RUNS_FOLDER } from "@tollgate/coordinator/project/find-run.ts";
import { type Project, readProject } from "@tollgate/coordinator/project/read-project.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { quoteWord } from "./run-name.ts";

const USAGE = `Run a training plan and write the history, report, charts, and final parameters.

  tollgate train run
  tollgate train run --participants 5 --rounds 20
  tollgate train run plan.yaml --json

  --participants N   Number of local participants (only for plans with local:)
  --rounds N         Number of rounds; overrides the plan
  --dir DIR          Run directory (default: the plan's run.dir, then runs/<id>)
  --json             Print one JSON object per event
  --ui               Serve a live page on this computer during the run

Without a plan, plan.yaml is read from this directory, or from the only subdirectory that contains one.
Exit codes: 0 finished, 1 failed, 2 invalid plan, 3 no plan, 7 paused (resumable), 130 interrupted (resumable).
`;

/** `tollgate train run`: runs a plan from its first round to its report. */
export async function trainRun(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      participants: { type: "string" },
      rounds: { type: "string" },
      dir: { type: "string" },
      json: { type: "boolean", default: false },
      ui: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const wrong = [values.participants, values.rounds].find(
    (text) => text !== undefined && !/^[1-9][0-9]{0,5}$/.test(text),
  );
  if (wrong !== undefined) return reportFailure(io, `'${wrong}' is not a positive integer.`, EXIT.usage);
  if (positionals.length > 1) return reportFailure(io, `Specify one plan.\n\n${USAGE}`, EXIT.usage);
  let plan: string | undefined;
  try {
    const { file, inFolder } = findPlan(io.cwd, positionals[0]);
    plan = file;
    if (inFolder !== null) io.stderr.write(`  plan  ${inFolder}/plan.yaml (found in a subdirectory)\n`);
    const project = readProject(file, { participants: numberOf(values.participants), rounds: numberOf(values.rounds) });
    const runId = makePrefixedId("tr", Date.now());
    const dir =
      values.dir === undefined
        ? (plannedDir(project) ?? join(project.folder, RUNS_FOLDER, runId))
        : resolve(io.cwd, values.dir);
    if (existsSync(join(dir, "journal.jsonl"))) {
      return reportFailure(
        io,
        `${dir} already contains a run.\n  Fix:  Run tollgate train resume ${quoteWord(dir)}, or use another --dir`,
        EXIT.usage,
      );
    }
    return await runInTerminal(project, { dir, runId, isResumed: false, isJson: values.json, hasPage: values.ui }, io);
  } catch (error) {
    return reportTrainFailure(io, error, plan);
  }
}

function plannedDir({ folder, value }: Project): string | null {
  const dir = (value.run as { dir?: unknown } | undefined)?.dir;
  return typeof dir === "string" ? resolve(folder, dir) : null;
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
