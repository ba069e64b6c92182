import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { signalProcess, undoAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import { findProgram, installPackages } from "../../../scripts/engines-lib/programs.ts";
import type { Cell, CellContext, CellResult } from "../cell.ts";
import type { Stage } from "../stage/stage.ts";
import { NO_CALLS } from "./end-cell.ts";
import { describeGateway } from "./gateway-cells.ts";
import { underLoad } from "./under-load.ts";

const run = promisify(execFile);
/** Disk size that is smaller than one journal segment. */
const TOO_SMALL = "8m";
const ENOUGH = "600m";
const FULL_MS = 5_000;

export const diskCells: readonly Cell[] = [
  {
    id: "F7",
    title: "gateway: started on a full disk, which then gets free space",
    run: async (stage, context) => {
      const { journalFolder } = stage.tollgate.settings;
      const folder = join(stage.folder, "small-disk");
      mkdirSync(folder);
      try {
        await run("mount", ["-t", "tmpfs", "-o", `size=${TOO_SMALL}`, "tmpfs", folder]);
      } catch (error) {
        return skipped(`no disk can be mounted here (${String(error).split("\n")[0]})`);
      }
      const forget = undoAtExit(() => execFileSync("umount", ["-l", folder]));
      try {
        return await onFullDisk(stage, context, folder);
      } finally {
        await stage.tollgate.restart({ journalFolder });
        await run("umount", ["-l", folder]);
        forget();
      }
    },
  },
  {
    id: "F8",
    title: "gateway: the disk reports an error when the journal is synced",
    run: async (stage, context) => {
      if (process.getuid?.() !== 0) return skipped("only root may trace other processes");
      if (findProgram("strace") === null) installPackages("strace");
      const expectation = { mostFailed: 0.6, recoveryMs: 4_000, longShare: 0.02 };
      let injected = 0;
      const result = await underLoad(stage, context, expectation, async (until) => {
        do {
          const index = injected % 2;
          const before = describeGateway(stage, index);
          if (before.pid === null) throw new Error(`there is no gateway ${index}`);
          const pid = before.pid;
          await context.schedule.during(`fdatasync of gateway ${index} fails`, async () => {
            const tracer = failSyncs(pid);
            await stage.tollgate.awaitRestart(index, before).finally(() => tracer.kill("SIGKILL"));
          });
          injected += 1;
          await pause(2_000);
        } while (performance.now() < until);
      });
      return { ...result, problems: [...result.problems, ...(injected > 0 ? [] : ["no sync was made to fail"])] };
    },
  },
];

/** Checks that gateways refuse every call while the disk is full, and serve calls as soon as there is space again. */
async function onFullDisk(stage: Stage, context: CellContext, journalFolder: string): Promise<CellResult> {
  await stage.tollgate.restart({ journalFolder });
  return underLoad(stage, context, { mostFailed: 1, recoveryMs: 3_000 }, async (until, load) => {
    // Calls have been refused since the load started a moment ago, so move the start of the fault back.
    const window = context.schedule.open("the disk is full");
    (window as { fromMs: number }).fromMs -= 2_000;
    await pause(FULL_MS);
    const served = load.logs.filter(({ isComplete }) => isComplete).length;
    await run("mount", ["-o", `remount,size=${ENOUGH}`, journalFolder]);
    context.schedule.close(window);
    if (served > 0) throw new Error(`${served} calls were served that could not be written down`);
    await pause(Math.max(FULL_MS, until - performance.now()));
  });
}

/** Makes every sync of the process fail until the returned tracer ends. */
function failSyncs(pid: number): ChildProcess {
  const args = [
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=fdatasync",
    "-e",
    "inject=fdatasync:error=EIO",
    "-p",
    `${pid}`,
  ];
  const tracer = spawn("strace", args, { stdio: "ignore" });
  tracer.once("error", () => {});
  const forget = undoAtExit(() => tracer.pid !== undefined && signalProcess(tracer.pid, "SIGKILL"));
  tracer.once("exit", forget);
  return tracer;
}

/** Returns the result of a cell that this machine cannot run. */
function skipped(why: string): CellResult {
  const ledger = { differences: 0, overspendNano: 0n, failed: [], problems: [], explained: [] };
  return { reckoning: NO_CALLS, ledger, settledMs: 0, overspendNano: 0n, problems: [], skipped: why };
}
