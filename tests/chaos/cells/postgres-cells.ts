import { setTimeout as pause } from "node:timers/promises";
import type { Cell } from "../cell.ts";
import { underLoad } from "./under-load.ts";

export const postgresCells: readonly Cell[] = [
  {
    id: "F23",
    title: "PostgreSQL: all processes killed, then restarted",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.02, recoveryMs: 3_000 }, async (until) => {
        const { postgres } = stage.engines;
        while (performance.now() < until) {
          await context.schedule.during("kill PostgreSQL", async () => {
            await postgres.kill();
            await postgres.start();
          });
          await pause(4_000);
        }
      }),
  },
  {
    id: "F24",
    title: "PostgreSQL: down for a minute",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.75, recoveryMs: 6_000, settleLimitMs: 90_000 }, async () => {
        const { postgres } = stage.engines;
        await context.schedule.during("stop PostgreSQL", async () => {
          await postgres.stop("SIGQUIT");
          await pause(context.isQuick ? 10_000 : 60_000);
          await postgres.start();
        });
        await pause(5_000);
      }),
  },
  {
    id: "F25",
    title: "PostgreSQL: frozen for fifteen seconds",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.05, recoveryMs: 6_000 }, async (until) => {
        // Leases last for thirty seconds of an organization's recent spend, which must be known first.
        await pause(10_000);
        const { postgres } = stage.engines;
        do {
          await context.schedule.during("freeze PostgreSQL", async () => {
            postgres.freeze();
            await pause(15_000);
            postgres.thaw();
          });
          await pause(5_000);
        } while (performance.now() < until);
      }),
  },
];
