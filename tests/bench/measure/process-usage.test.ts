import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { countThreadTimes, readMemory, readThreads, sumTimes } from "./process-usage.ts";

/** Uses CPU time until this many milliseconds of it have been used. */
const busyThread = `
  const { parentPort } = require("node:worker_threads");
  const before = process.cpuUsage().user;
  while (process.cpuUsage().user - before < 200_000);
  parentPort.postMessage("done");
  setInterval(() => undefined, 1_000_000);
`;

test("CPU time counts to the thread that used it, by its name", async () => {
  const endCount = countThreadTimes([process.pid]);
  const worker = new Worker(busyThread, { eval: true, name: "busy-one" });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, "message");
  const times = endCount();
  expect(times["busy-one"]).toBeGreaterThan(10);
  expect(sumTimes(times)).toBeGreaterThanOrEqual(times["busy-one"] ?? 0);
});

test("threads and memory of a running process are read", () => {
  const threads = [...readThreads([process.pid]).values()];
  expect(threads.length).toBeGreaterThan(1);
  expect(Math.max(...threads.map(({ wakeUps }) => wakeUps))).toBeGreaterThan(0);
  const { residentBytes, proportionalBytes } = readMemory(process.pid);
  expect(residentBytes).toBeGreaterThan(2 ** 20);
  expect(proportionalBytes).toBeLessThanOrEqual(residentBytes);
});
