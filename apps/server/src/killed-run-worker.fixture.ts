import { startRunWorker } from "./run-worker.fixture.ts";

/** Where a worker dies: at this point, when it is reached so many times. */
export interface Death {
  readonly point: string;
  readonly time: number;
}

/** A worker as a process of its own. Told to begin, it does, and dies as by a failing machine where it was told to. */
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
