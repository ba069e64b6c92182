import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Lets every thread of these running processes use these cores, in the notation of `taskset`. Ignores a process that
 * has ended in the meantime.
 */
export function moveToCores(pids: readonly number[], list: string): void {
  for (const pid of pids) {
    try {
      execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", list, String(pid)], { stdio: "ignore" });
    } catch (error) {
      if (existsSync(`/proc/${pid}`)) throw error;
    }
  }
}
