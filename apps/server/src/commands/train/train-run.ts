import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findPlan } from "@tollgate/coordinator/project/find-plan.ts";
import { RUNS_FOLDER } from "@tollgate/coordinator/project/find-run.ts";
import { type Project, readProject } from "@tollgate/coordinator/project/read-project.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { EXIT, type Io, reportFailure } from "../exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { quoteWord } from "./run-name.ts";

const USAGE = `Run the rounds of a plan, and leave history, report, charts and the final parameters.

  tollgate train run
  tollgate train run --participants 5 --rounds 20
  tollgate train run plan.yaml --json

  --participants N   how many local participants (plans with local: only)
  --rounds N         how many rounds, instead of what the plan says
  --dir DIR          the folder of the run (otherwise the plan's run.dir, otherwise runs/<id>)
  --json             one JSON object per event
  --ui               a live page on this computer while it runs

Without a plan named: plan.yaml here, or in the only folder beneath that has one.
Exit codes: 0 finished, 1 failed, 2 plan invalid, 3 no plan, 7 paused (resumable), 130 interrupted (resumable).
`;

/** `tollgate train run`: a new run of a plan, from its first round to its report. */
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
  if (wrong !== undefined) return reportFailure(io, `'${wrong}' is not a number above zero.`, EXIT.usage);
  if (positionals.length > 1) return reportFailure(io, `Name one plan.\n\n${USAGE}`, EXIT.usage);
  let plan: string | undefined;
  try {
    const { file, inFolder } = findPlan(io.cwd, positionals[0]);
    plan = file;
    if (inFolder !== null)
      io.stderr.write(`  plan  ${inFolder}/plan.yaml (there is none here, and this is the only one beneath)\n`);
    const project = readProject(file, { participants: numberOf(values.participants), rounds: numberOf(values.rounds) });
    const runId = makePrefixedId("tr", Date.now());
    const dir =
      values.dir === undefined
        ? (plannedDir(project) ?? join(project.folder, RUNS_FOLDER, runId))
        : resolve(io.cwd, values.dir);
    if (existsSync(join(dir, "journal.jsonl"))) {
      return reportFailure(
        io,
        `${dir} holds a run already.\n  Fix:  tollgate train resume ${quoteWord(dir)}, or another --dir`,
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
