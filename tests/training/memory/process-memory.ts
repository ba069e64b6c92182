import { readFileSync, writeFileSync } from "node:fs";

/** What a process has in memory now, in bytes. */
export function readResident(pid: number): number {
  return readStatus(pid, "VmRSS");
}

/** The most it had since the peak was last forgotten. */
export function readPeak(pid: number): number {
  return readStatus(pid, "VmHWM");
}

/** Makes the peak what the process has now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function readStatus(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (line === null) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(line[1]) * 1024;
}
