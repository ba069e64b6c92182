import { expect, test } from "vitest";
import { sumAwakeTime, type Tick, watchAwakeTime } from "./awake-time.ts";

/** Returns ticks at these times in a process that uses no CPU time. */
const idle = (...times: readonly number[]): Tick[] => times.map((atMs) => ({ atMs, cpuMs: 0 }));

test("waiting counts in full, from the first point to the second", () => {
  expect(sumAwakeTime(idle(0, 5, 10, 15, 20, 25), 2, 21)).toBe(19);
});

test("a stall counts for ten milliseconds", () => {
  expect(sumAwakeTime(idle(0, 5, 3_000, 3_005), 0, 3_005)).toBe(5 + 10 + 5);
});

test("work that blocks the thread counts in full", () => {
  const ticks = [
    { atMs: 0, cpuMs: 0 },
    { atMs: 400, cpuMs: 390 },
  ];
  expect(sumAwakeTime(ticks, 0, 400)).toBe(390);
});

test("counts work of this thread that has just ended", () => {
  const awakeTime = watchAwakeTime();
  const startedAtMs = performance.now();
  const before = process.threadCpuUsage();
  while (process.threadCpuUsage(before).user < 50_000);
  expect(awakeTime(startedAtMs, performance.now())).toBeGreaterThanOrEqual(50);
});
