import { countThreadTimes, sumTimes } from "../measure/process-usage.ts";
import type { ClosedLoop, SliceResult } from "./commands.ts";
import { FailureCount } from "./failure-count.ts";
import { LoadConnection } from "./load-connection.ts";

const stuckAfterMs = 15_000;
/** Time that a load of a fixed number of calls has for each call on the slowest contestant, on a busy machine. */
const slowestCallMs = 100;

/**
 * Keeps every connection busy until the end of the load: each connection sends its next call when its last call is
 * complete.
 */
export async function runClosedLoop(load: ClosedLoop): Promise<SliceResult> {
  const request = Buffer.from(load.target.request, "base64");
  const maxCalls = "afterCalls" in load.end ? load.end.afterCalls : Number.POSITIVE_INFINITY;
  const failures = new FailureCount();
  const connections = new Set<LoadConnection>();
  let completed = 0;
  let sent = 0;
  let deadline = Number.POSITIVE_INFINITY;
  const { promise: allEnded, resolve, reject } = Promise.withResolvers<void>();

  const hasMore = () => sent < maxCalls && performance.now() < deadline;
  const send = (connection: LoadConnection) => {
    sent += 1;
    connection.send();
  };
  const onEnd = (connection: LoadConnection, problem: string | null) => {
    if (problem === null) completed += 1;
    else failures.add(problem);
    if (hasMore() && problem === null && !connection.isClosed) return send(connection);
    connections.delete(connection);
    connection.close();
    if (hasMore()) send(open());
    else if (connections.size === 0) resolve();
  };
  const open = () => {
    const connection = new LoadConnection(load.target, request, onEnd);
    connections.add(connection);
    return connection;
  };

  const opened = Array.from({ length: Math.min(load.connections, maxCalls) }, open);
  await Promise.all(opened.map((connection) => connection.whenConnected()));
  const endCount = countThreadTimes(load.pids);
  const startedAt = performance.now();
  const expectedMs = "afterMs" in load.end ? load.end.afterMs : load.end.afterCalls * slowestCallMs;
  if ("afterMs" in load.end) deadline = startedAt + load.end.afterMs;
  const stuck = setTimeout(() => reject(new Error(`${connections.size} calls got no end`)), expectedMs + stuckAfterMs);
  for (const connection of opened) send(connection);
  await allEnded.finally(() => clearTimeout(stuck));
  const elapsedMs = performance.now() - startedAt;
  const threadCpuMs = endCount();
  failures.throwIfTooMany(completed);
  return { completed, elapsedMs, contestantCpuMs: sumTimes(threadCpuMs), threadCpuMs };
}
