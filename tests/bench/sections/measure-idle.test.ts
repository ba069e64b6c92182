import { expect, test } from "vitest";
import type { ThreadCounters } from "../measure/process-usage.ts";
import { idleTable, sumIdle } from "../report/idle-table.ts";
import { toIdleProcess } from "./measure-idle.ts";

function counters(pid: number, role: string, cpuMs: number, wakeUps: number): ThreadCounters {
  return { pid, role, cpuMs, wakeUps };
}

const before = new Map([
  ["10/10", counters(10, "main", 1000, 500)],
  ["10/11", counters(10, "v8Workers", 50, 40)],
  ["20/20", counters(20, "main", 300, 70)],
]);
const after = new Map([
  ["10/10", counters(10, "main", 1225, 3500)],
  ["10/11", counters(10, "v8Workers", 65, 60)],
  // A thread that has started in the meantime.
  ["10/12", counters(10, "v8Workers", 60, 40)],
  ["20/20", counters(20, "main", 375, 100)],
]);
const mebibyte = 2 ** 20;
const gateway = { pid: 10, name: "gateway", residentBytes: 300 * mebibyte, proportionalBytes: 250 * mebibyte };
const worker = { pid: 20, name: "worker", residentBytes: 160 * mebibyte, proportionalBytes: 120 * mebibyte };

test("CPU time is a share of one core, and wake-ups are per second", () => {
  expect(toIdleProcess(gateway, before, after, 30_000)).toEqual({
    name: "gateway",
    cpuPercent: 1,
    wakeUpsPerSecond: 102,
    residentBytes: 300 * mebibyte,
    proportionalBytes: 250 * mebibyte,
    threads: [
      { role: "main", cpuPercent: 0.75, wakeUpsPerSecond: 100 },
      { role: "v8Workers", cpuPercent: 0.25, wakeUpsPerSecond: 2 },
    ],
  });
});

test("the total adds up all processes", () => {
  const processes = [gateway, worker].map((process) => toIdleProcess(process, before, after, 30_000));
  expect(sumIdle(processes)).toEqual({ cpuPercent: 1.25, wakeUpsPerSecond: 103, rssMiB: 460, pssMiB: 370 });
  expect(idleTable(processes).split("\n").at(-1)).toMatch(/all processes\s+1\.25\s+103\.0\s+460\s+370$/);
  expect(idleTable([])).toBe("");
});
