import { readFileSync } from "node:fs";

/** Identifies one process uniquely. A PID can be reused, but never with the same start time. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** Returns the identity of a running process, or null if no process has that PID. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process name is in parentheses and may also contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startTime] = [fields[0], fields[19]];
    return state === "Z" || startTime === undefined ? null : { pid, startTime };
  } catch {
    return null;
  }
}

/** Reports whether the process with this identity is still running. */
export function isRunning(process: ProcessIdentity): boolean {
  return identifyProcess(process.pid)?.startTime === process.startTime;
}
