import { readCpuMs } from "../measure/process-usage.ts";
import type { SliceResult, Target } from "./commands.ts";
import { FailureCount } from "./failure-count.ts";
import { LoadConnection } from "./load-connection.ts";

const stuckAfterMs = 15_000;

/**
 * Keeps every connection busy for the given time: each connection sends its next call when its last call is complete.
 */
export async function runClosedLoop(
  target: Target,
  connectionCount: number,
  durationMs: number,
  pids: readonly number[],
): Promise<SliceResult> {
  const request = Buffer.from(target.request, "base64");
  const failures = new FailureCount();
  const connections = new Set<LoadConnection>();
  let completed = 0;
  let deadline = Number.POSITIVE_INFINITY;
  const { promise: allEnded, resolve, reject } = Promise.withResolvers<void>();

  const onEnd = (connection: LoadConnection, problem: string | null) => {
    if (problem === null) completed += 1;
    else failures.add(problem);
    if (performance.now() < deadline && problem === null && !connection.isClosed) return connection.send();
    connections.delete(connection);
    connection.close();
    if (performance.now() < deadline) open().send();
    else if (connections.size === 0) resolve();
  };
  const open = () => {
    const connection = new LoadConnection(target, request, onEnd);
    connections.add(connection);
    return connection;
  };

  const opened = Array.from({ length: connectionCount }, open);
  await Promise.all(opened.map((connection) => connection.whenConnected()));
  const cpuBeforeMs = readCpuMs(pids);
  const startedAt = performance.now();
  deadline = startedAt + durationMs;
  const stuck = setTimeout(() => reject(new Error(`${connections.size} calls got no end`)), durationMs + stuckAfterMs);
  for (const connection of opened) connection.send();
  await allEnded.finally(() => clearTimeout(stuck));
  const elapsedMs = performance.now() - startedAt;
  const contestantCpuMs = readCpuMs(pids) - cpuBeforeMs;
  failures.throwIfTooMany(completed);
  return { completed, elapsedMs, contestantCpuMs };
}
