import { parentPort, workerData } from "node:worker_threads";

// Thread: notifies its parent thread at exact times. Event loop timers have millisecond resolution, which is coarser
// than a proxy's overhead.

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
