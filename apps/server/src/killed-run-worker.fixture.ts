import { startRunWorker } from "./run-worker.fixture.ts";

/** The point at which the worker is killed: when it reaches `point` for the `time`-th time. */
export interface Death {
  readonly point: string;
  readonly time: number;
}

/** Runs a worker in a separate process. The worker starts on a message and is killed at the given point. */
const [connectionString = "", gatewayUrl = ""] = process.argv.slice(2);

process.once("message", ({ point, time }: Death) => {
  let times = 0;
  startRunWorker({
    connectionString,
    gatewayUrl,
    onPoint: (reached) => {
      if (reached !== point) return;
      times += 1;
      if (times === time) process.kill(process.pid, "SIGKILL");
    },
  });
});
process.send?.("loaded");
