import { setTimeout as pause } from "node:timers/promises";
import type { Program } from "@tollgate/testkit/processes/program.ts";
import type { Cell } from "../cell.ts";
import { eraseLogNode } from "../stage/engines.ts";
import { underLoad } from "./under-load.ts";

export const logCells: readonly Cell[] = [
  {
    id: "F15",
    title: "log: one of three nodes killed, in turn",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        const { log } = stage.engines;
        for (let round = 0; performance.now() < until; round += 1) {
          const node = log[round % log.length] as Program;
          await context.schedule.during(`kill ${node.name}`, async () => {
            await node.kill();
            await pause(1_000);
            await node.start();
          });
          await pause(3_000);
        }
      }),
  },
  {
    id: "F16",
    title: "log: all three nodes down",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        const { log } = stage.engines;
        await context.schedule.during("kill the whole log", async () => {
          await Promise.all(log.map((node) => node.kill()));
          await pause(Math.max(0, until - performance.now()));
          await Promise.all(log.map((node) => node.start()));
        });
      }),
  },
  {
    id: "F17",
    title: "log: killed, all its data erased, started empty",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0, settleLimitMs: 90_000 }, async (until) => {
        const { log } = stage.engines;
        do {
          await context.schedule.during("erase the whole log", async () => {
            await Promise.all(log.map((node) => node.kill()));
            for (const node of log) eraseLogNode(node);
            await Promise.all(log.map((node) => node.start()));
          });
          await pause(context.isQuick ? 3_000 : 8_000);
        } while (performance.now() < until);
      }),
  },
  {
    id: "F19",
    title: "log: one node frozen for thirty seconds, in turn",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        const { log } = stage.engines;
        for (let round = 0; round < log.length && (round === 0 || performance.now() < until); round += 1) {
          const node = log[round] as Program;
          await context.schedule.during(`freeze ${node.name}`, async () => {
            node.freeze();
            await pause(30_000);
            node.thaw();
          });
          await pause(5_000);
        }
      }),
  },
];
