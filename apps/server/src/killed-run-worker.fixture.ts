import { startRunWorker } from "./run-worker.fixture.ts";

/** Point at which a worker dies, when it is reached for the given time. */
export interface Death {
  readonly point: string;
  readonly time: number;
}

/** Runs a worker in a separate process. On a message, it starts, then dies abruptly at the given point. */
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
