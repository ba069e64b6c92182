import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import type { Cell, CellContext, CellResult } from "../cell.ts";
import { query } from "../stage/engines.ts";
import type { Stage } from "../stage/stage.ts";
import { underLoad } from "./under-load.ts";

export const workerCells: readonly Cell[] = [
  {
    id: "F11",
    title: "worker: killed every three seconds, in turn",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        for (let round = 0; performance.now() < until; round += 1) {
          await killWorker(stage, context, round % stage.tollgate.workers.length);
          await pause(context.isQuick ? 1_500 : 3_000);
        }
      }),
  },
  {
    id: "F11b",
    title: "worker thread: the only worker, exits again and again",
    isQuick: true,
    run: async (stage, context) => {
      const { tollgate } = stage;
      await Promise.all(tollgate.workers.map((worker) => worker.stop()));
      await tollgate.single.start();
      // Every second call goes to the process whose worker thread keeps exiting.
      let calls = 0;
      const url = () => {
        calls += 1;
        return calls % 2 === 0 ? tollgate.url : tollgate.singleUrl;
      };
      let result: CellResult;
      try {
        result = await underLoad(stage, context, { mostFailed: 0, recoveryMs: 0, url }, async (until) => {
          await pause(Math.max(0, until - performance.now()));
          const hasExited = () => tollgate.single.readOutput().includes("worker thread exited");
          await waitFor("the worker thread to exit", hasExited);
        });
      } finally {
        await tollgate.single.stop();
        await Promise.all(tollgate.workers.map((worker) => worker.start()));
      }
      // The other gateways report again, but what the stopped process reported last remains.
      const unconfirmed = "select from gateway_nodes where oldest_unconfirmed_at is not null";
      await waitFor(
        "every gateway to report that its events are confirmed",
        async () => (await query(stage.engines.databaseUrl, unconfirmed)).length === 0,
      );
      return result;
    },
  },
  {
    id: "F12",
    title: "worker: all workers down",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        await context.schedule.during("stop all workers", async () => {
          await Promise.all(stage.tollgate.workers.map((worker) => worker.stop()));
          await pause(Math.max(0, until - performance.now()));
        });
        await Promise.all(stage.tollgate.workers.map((worker) => worker.start()));
      }),
  },
];

/** Kills the supervisor's worker process. The supervisor then starts a new one. */
export async function killWorker(stage: Stage, context: CellContext, index: number): Promise<void> {
  const pid = stage.tollgate.workerPid(index);
  if (pid === null) return;
  await context.schedule.during(`kill worker ${index + 1}`, () => signalProcess(pid, "SIGKILL"));
  stage.kills += 1;
}
