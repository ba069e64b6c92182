import { readFileSync, writeFileSync } from "node:fs";

/** Returns the resident memory of a process, in bytes. */
export function readResident(pid: number): number {
  return readStatus(pid, "VmRSS");
}

/** Returns the peak memory since the last reset. */
export function readPeak(pid: number): number {
  return readStatus(pid, "VmHWM");
}

/** Resets the peak to the current memory. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function readStatus(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (line === null) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(line[1]) * 1024;
}
