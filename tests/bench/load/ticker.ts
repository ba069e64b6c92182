import { parentPort, workerData } from "node:worker_threads";

// A thread: wakes its parent at exact times. Timers of the event loop know whole milliseconds only, which is more than
// a proxy adds to a call.

interface Schedule {
  readonly intervalMs: number;
  readonly count: number;
}

const { intervalMs, count } = workerData as Schedule;
const nothing = new Int32Array(new SharedArrayBuffer(4));
const startMs = monotonicMs() + 50;

for (let index = 0; index < count; index += 1) {
  const dueAtMs = startMs + index * intervalMs;
  const waitMs = dueAtMs - monotonicMs();
  if (waitMs > 0) Atomics.wait(nothing, 0, 0, waitMs);
  parentPort?.postMessage(dueAtMs);
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
