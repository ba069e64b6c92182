import { readFileSync } from "node:fs";

/** Names one process for ever: its pid may be given to another one later, its start time may not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** The identity of a running process, or null when there is none with that pid. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name comes first, in parentheses, and may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startTime] = [fields[0], fields[19]];
    return state === "Z" || startTime === undefined ? null : { pid, startTime };
  } catch {
    return null;
  }
}

/** Whether exactly this process still runs. */
export function isRunning(process: ProcessIdentity): boolean {
  return identifyProcess(process.pid)?.startTime === process.startTime;
}
