import { setTimeout as pause } from "node:timers/promises";
import type { Cell } from "../cell.ts";
import { sendRedisCommand } from "../stage/send-redis-command.ts";
import { underLoad } from "./under-load.ts";

export const redisCells: readonly Cell[] = [
  {
    id: "F20",
    title: "Redis: killed, started empty",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        const { redis } = stage.engines;
        while (performance.now() < until) {
          await context.schedule.during("kill Redis", async () => {
            await redis.kill();
            await pause(500);
            await redis.start();
          });
          await pause(2_000);
        }
      }),
  },
  {
    id: "F21",
    title: "Redis: frozen for thirty seconds",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async () => {
        await context.schedule.during("freeze Redis", async () => {
          stage.engines.redis.freeze();
          await pause(30_000);
          stage.engines.redis.thaw();
        });
      }),
  },
  {
    id: "F22",
    title: "Redis: flushed, out of memory, without its scripts",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        const { redisPort } = stage.engines;
        while (performance.now() < until) {
          await context.schedule.during("flush Redis", () => sendRedisCommand(redisPort, "FLUSHALL"));
          await pause(1_000);
          await context.schedule.during("Redis is out of memory", async () => {
            await sendRedisCommand(redisPort, "CONFIG SET maxmemory 1");
            await pause(2_000);
            await sendRedisCommand(redisPort, "CONFIG SET maxmemory 0");
          });
          await context.schedule.during("Redis flushes its scripts", () => sendRedisCommand(redisPort, "SCRIPT FLUSH"));
          await pause(1_000);
        }
      }),
  },
];
