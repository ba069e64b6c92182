import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/** A process and everything it started, as they are now. */
export function listProcessTree(pid: number): number[] {
  const pids = [pid];
  for (const task of listTasks(pid)) {
    const children = readIfThere(`/proc/${pid}/task/${task}/children`).trim();
    if (children !== "") pids.push(...children.split(" ").flatMap((child) => listProcessTree(Number(child))));
  }
  return pids;
}

/** CPU time of all threads of these processes so far, in milliseconds, as the scheduler counted it. */
export function readCpuMs(pids: readonly number[]): number {
  let nanos = 0;
  for (const pid of pids) {
    for (const task of listTasks(pid)) {
      nanos += Number(readIfThere(`/proc/${pid}/task/${task}/schedstat`).split(" ", 1)[0]);
    }
  }
  return nanos / 1e6;
}

/** Resident memory of these processes together, in bytes. */
export function readResidentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(readIfThere(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageBytes, 0);
}

/** How many files a process we start may open at most. */
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

// Threads and processes come and go while we look; one that has gone counts nothing.
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
