import type { IdleProcess, IdleUsage } from "../sections/measure-idle.ts";
import { align } from "./align.ts";

const mebibyte = 2 ** 20;
/** Threads that wake up less often than this, and use less of a core, are left out. */
const minWakeUps = 0.1;
const minPercent = 0.005;

/** The sums over all processes. */
export interface IdleTotal extends IdleUsage {
  readonly rssMiB: number;
  readonly pssMiB: number;
}

export function sumIdle(processes: readonly IdleProcess[]): IdleTotal {
  const sum = (figure: (process: IdleProcess) => number) =>
    processes.reduce((total, process) => total + figure(process), 0);
  return {
    cpuPercent: sum(({ cpuPercent }) => cpuPercent),
    wakeUpsPerSecond: sum(({ wakeUpsPerSecond }) => wakeUpsPerSecond),
    rssMiB: sum(({ residentBytes }) => residentBytes) / mebibyte,
    pssMiB: sum(({ proportionalBytes }) => proportionalBytes) / mebibyte,
  };
}

/** Formats what each process uses without any calls, and below it what its threads use. */
export function idleTable(processes: readonly IdleProcess[]): string {
  if (processes.length === 0) return "";
  const lines = processes.flatMap((process) => [
    row(process.name, process, process.residentBytes / mebibyte, process.proportionalBytes / mebibyte),
    ...process.threads
      .filter(({ cpuPercent, wakeUpsPerSecond }) => wakeUpsPerSecond >= minWakeUps || cpuPercent >= minPercent)
      .map((thread) => row(`  ${thread.role}`, thread)),
  ]);
  const total = sumIdle(processes);
  const head = "Idle: 30 s, from 30 s after the last of a few calls; Postgres, Redis, and NATS not counted";
  const columns = ["", "CPU % of a core", "wake-ups/s", "RSS MiB", "PSS MiB"];
  return `${head}\n${align([columns, ...lines, row("all processes", total, total.rssMiB, total.pssMiB)])}`;
}

function row(name: string, usage: IdleUsage, ...mebibytes: number[]): string[] {
  const memory = [0, 1].map((index) => mebibytes[index]?.toFixed(0) ?? "");
  return [name, usage.cpuPercent.toFixed(2), usage.wakeUpsPerSecond.toFixed(1), ...memory];
}
