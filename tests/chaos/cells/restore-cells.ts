import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Cell } from "../cell.ts";
import { logData } from "../stage/engines.ts";
import { underLoad } from "./under-load.ts";

const run = promisify(execFile);

export const restoreCells: readonly Cell[] = [
  {
    id: "F18",
    title: "log: reset to an older state of its disks, as after a power failure",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0, settleLimitMs: 90_000 }, async (until) => {
        const { log } = stage.engines;
        do {
          const copies = await Promise.all(
            log.map(async (node) => {
              node.freeze();
              const copy = join(node.folder, "copy");
              await copyFolder(logData(node), copy);
              node.thaw();
              return copy;
            }),
          );
          await pause(3_000);
          await context.schedule.during("set the log back", async () => {
            await Promise.all(log.map((node) => node.kill()));
            for (const [index, node] of log.entries()) await replaceFolder(copies[index] as string, logData(node));
            await Promise.all(log.map((node) => node.start()));
          });
          await pause(5_000);
        } while (performance.now() < until);
      }),
  },
  {
    id: "BACKUP",
    title: "PostgreSQL: restored from a backup taken earlier under load",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.6, recoveryMs: 15_000, settleLimitMs: 180_000 }, async (until) => {
        const { postgres, postgresData } = stage.engines;
        const backup = `${postgresData}-backup`;
        await context.schedule.during("take a backup", async () => {
          await postgres.stop("SIGINT");
          await copyFolder(postgresData, backup);
          await postgres.start();
        });
        // Long enough for everything since the backup to be settled and confirmed.
        await pause(Math.max(10_000, until - performance.now()));
        await context.schedule.during("restore the backup", async () => {
          await postgres.stop("SIGINT");
          await replaceFolder(backup, postgresData);
          await postgres.start();
        });
      }),
  },
];

async function copyFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await run("cp", ["-a", from, to]);
}

async function replaceFolder(from: string, to: string): Promise<void> {
  await copyFolder(from, to);
  await rm(from, { recursive: true, force: true });
}
