import { type ChildProcess, spawn } from "node:child_process";

/**
 * Waits on descriptor 3, which only the starter holds the other end of, and ends the whole group when it closes. So
 * nothing is left behind even when the starter is killed outright. `exec` keeps the process id that was reported.
 */
const GUARD = '{ cat <&3 >/dev/null; kill -s KILL -- -$$; } & exec "$@" 3<&-';

const groups = new Set<number>();
// Whatever ends this process without a stop of the participants still takes them along.
process.once("exit", () => groups.forEach(killGroup));

export interface GuardedOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Descriptor of the file that takes both outputs. */
  readonly logFd: number;
}

/** Starts a program in a process group of its own that ends, at the latest, with this process. */
export function spawnGuarded({ command, cwd, env, logFd }: GuardedOptions): ChildProcess {
  const child = spawn("/bin/sh", ["-c", GUARD, "participant", ...command], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", logFd, logFd, "pipe"],
  });
  if (child.pid !== undefined) groups.add(child.pid);
  return child;
}

/** Ends everything in the group of a guarded program at once. */
export function killGroup(pid: number): void {
  groups.delete(pid);
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is gone, which is what was wanted.
  }
}
