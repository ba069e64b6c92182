import { Worker } from "node:worker_threads";
import { countThreadTimes, sumTimes, type ThreadTimes } from "../measure/process-usage.ts";
import { quantile } from "../measure/statistics.ts";
import type { LatencyResult, OpenLoop } from "./commands.ts";
import { FailureCount } from "./failure-count.ts";
import { LoadConnection } from "./load-connection.ts";

const connectionsAtStart = 32;
const warmUpShare = 0.2;
const stuckAfterMs = 15_000;

/** Sends calls at a fixed rate regardless of responses, and measures latency from each call's due time. */
export async function runOpenLoop({ target, perSecond, durationMs, pids }: OpenLoop): Promise<LatencyResult> {
  const request = Buffer.from(target.request, "base64");
  const failures = new FailureCount();
  const latenciesMs: number[] = [];
  const count = Math.round((durationMs / 1000) * perSecond);
  const uncounted = Math.floor(count * warmUpShare);
  let sent = 0;
  let ended = 0;
  let endedUncounted = 0;
  let endCount: () => ThreadTimes = () => ({});
  const { promise: allEnded, resolve, reject } = Promise.withResolvers<void>();

  const onEnd = (connection: LoadConnection, problem: string | null) => {
    if (problem === null) latenciesMs.push(monotonicMs() - connection.dueAtMs);
    else failures.add(problem);
    if (!connection.isClosed) idle.push(connection);
    ended += 1;
    if (ended === count) resolve();
  };
  const all: LoadConnection[] = [];
  const open = () => {
    const connection = new LoadConnection(target, request, onEnd);
    all.push(connection);
    return connection;
  };
  const idle = Array.from({ length: connectionsAtStart }, open);
  await Promise.all(idle.map((connection) => connection.whenConnected()));

  const schedule = { intervalMs: 1000 / perSecond, count };
  const ticker = new Worker(new URL("ticker.ts", import.meta.url), { workerData: schedule });
  ticker.on("error", reject);
  ticker.on("message", (dueAtMs: number) => {
    let connection = idle.pop();
    // A connection may have been closed while idle.
    while (connection?.isClosed) connection = idle.pop();
    connection ??= open();
    if (sent === uncounted) {
      endCount = countThreadTimes(pids);
      endedUncounted = ended;
    }
    sent += 1;
    connection.dueAtMs = dueAtMs;
    connection.send();
  });
  const stuck = setTimeout(() => reject(new Error(`${count - ended} calls got no end`)), durationMs + stuckAfterMs);
  await allEnded.finally(() => clearTimeout(stuck));
  const threadCpuMicros = perCall(endCount(), ended - endedUncounted);

  for (const connection of all) connection.close();
  failures.throwIfTooMany(latenciesMs.length);
  const counted = latenciesMs.slice(Math.floor(latenciesMs.length * warmUpShare));
  return {
    completed: latenciesMs.length,
    p50Ms: quantile(counted, 0.5),
    p99Ms: quantile(counted, 0.99),
    cpuMicros: sumTimes(threadCpuMicros),
    threadCpuMicros,
  };
}

function perCall(times: ThreadTimes, calls: number): ThreadTimes {
  return Object.fromEntries(Object.entries(times).map(([group, ms]) => [group, (ms * 1000) / calls]));
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
