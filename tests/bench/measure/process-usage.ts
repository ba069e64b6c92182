import { readdirSync, readFileSync } from "node:fs";
import { type ProcessMemory, parseCommandLine, parseCpuMs, parseMemory, parseWakeUps } from "./proc-text.ts";
import { processName, threadGroup, threadRole } from "./thread-group.ts";

const pageBytes = 4096;

/** CPU time by group of threads, in milliseconds. */
export type ThreadTimes = Readonly<Record<string, number>>;

/** Counters of one thread since its start. */
export interface ThreadCounters {
  readonly pid: number;
  readonly role: string;
  readonly cpuMs: number;
  readonly wakeUps: number;
}

/** Returns the total CPU time of these processes in milliseconds, as counted by the scheduler. */
export function readCpuMs(pids: readonly number[]): number {
  let cpuMs = 0;
  for (const pid of pids) for (const task of listTasks(pid)) cpuMs += readThreadCpuMs(pid, task);
  return cpuMs;
}

/**
 * Starts to count the CPU time of every thread of these processes. The returned function ends the count. A thread that
 * has ended in the meantime is not counted.
 */
export function countThreadTimes(pids: readonly number[]): () => ThreadTimes {
  const before = new Map<string, number>();
  for (const pid of pids) for (const task of listTasks(pid)) before.set(`${pid}/${task}`, readThreadCpuMs(pid, task));
  return () => {
    const times: Record<string, number> = {};
    for (const pid of pids) {
      const process = readProcessName(pid, pids);
      for (const task of listTasks(pid)) {
        const group = threadGroup(process, readIfThere(`/proc/${pid}/task/${task}/comm`).trim());
        const cpuMs = readThreadCpuMs(pid, task) - (before.get(`${pid}/${task}`) ?? 0);
        times[group] = (times[group] ?? 0) + Math.max(0, cpuMs);
      }
    }
    return times;
  };
}

/** Returns the sum of all groups. */
export function sumTimes(times: ThreadTimes): number {
  return Object.values(times).reduce((sum, time) => sum + time, 0);
}

/** Returns the counters of every thread of these processes, by process and thread number. */
export function readThreads(pids: readonly number[]): Map<string, ThreadCounters> {
  const threads = new Map<string, ThreadCounters>();
  for (const pid of pids) {
    for (const task of listTasks(pid)) {
      threads.set(`${pid}/${task}`, {
        pid,
        role: threadRole(readIfThere(`/proc/${pid}/task/${task}/comm`).trim()),
        cpuMs: readThreadCpuMs(pid, task),
        wakeUps: parseWakeUps(readIfThere(`/proc/${pid}/task/${task}/status`)),
      });
    }
  }
  return threads;
}

/** Returns the name of a process among the processes of its contestant, the first of which starts the others. */
export function readProcessName(pid: number, pids: readonly number[]): string {
  const isFirstOfSeveral = pids.length > 1 && pid === pids[0];
  return processName(parseCommandLine(readIfThere(`/proc/${pid}/cmdline`)), isFirstOfSeveral);
}

/** Returns the memory of one process. */
export function readMemory(pid: number): ProcessMemory {
  return parseMemory(readIfThere(`/proc/${pid}/smaps_rollup`));
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

function readThreadCpuMs(pid: number, task: string): number {
  return parseCpuMs(readIfThere(`/proc/${pid}/task/${task}/schedstat`));
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
