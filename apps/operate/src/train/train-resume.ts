import { parseArgs } from "node:util";
import { findRun } from "@tollgate/coordinator/project/find-run.ts";
import { readRun } from "@tollgate/coordinator/project/read-run.ts";
import { readRunProject } from "@tollgate/coordinator/project/run-project.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";
import { runInTerminal } from "./run-in-terminal.ts";

const USAGE = `Resume a run that was interrupted, killed, or paused. Saved results are reused; missing results are requested again.

  tollgate train resume
  tollgate train resume tr_01J…

  --json   Print one JSON object per event
  --ui     Serve a live page on this computer during the run

Without a run ID, the most recent run is used.
`;

/** `tollgate train resume`: runs the remaining rounds of a run. */
export async function trainResume(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      ui: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  try {
    const dir = findRun(io.cwd, positionals[0]);
    const { run, state } = await readRun(dir);
    if (state === "finished") return reportFailure(io, `Run ${run} is finished and cannot be resumed.`, EXIT.usage);
    const project = readRunProject(dir);
    return await runInTerminal(
      project,
      { dir, runId: run, isResumed: true, isJson: values.json, hasPage: values.ui },
      io,
    );
  } catch (error) {
    return reportTrainFailure(io, error);
  }
}
