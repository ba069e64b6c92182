import { execFileSync } from "node:child_process";

/** Lets every thread of these running processes use these cores, in the notation of `taskset`. */
export function moveToCores(pids: readonly number[], list: string): void {
  for (const pid of pids) execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", list, String(pid)]);
}
