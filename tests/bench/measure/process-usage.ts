import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/** Returns the total CPU time of these processes in milliseconds, as counted by the scheduler. */
export function readCpuMs(pids: readonly number[]): number {
  let nanos = 0;
  for (const pid of pids) {
    for (const task of listTasks(pid)) {
      nanos += Number(readIfThere(`/proc/${pid}/task/${task}/schedstat`).split(" ", 1)[0]);
    }
  }
  return nanos / 1e6;
}

/** Returns the total resident memory of these processes in bytes. */
export function readResidentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(readIfThere(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageBytes, 0);
}

/** Returns the maximum number of open files for a child process. */
export function readOpenFileLimit(): number {
  const hard = /Max open files\s+\S+\s+(\S+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return hard === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(hard);
}

function listTasks(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

// Threads and processes can exit while they are being read. Those that have exited count as zero.
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
