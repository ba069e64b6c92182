import { type ChildProcess, spawn } from "node:child_process";

/**
 * Waits on descriptor 3, whose other end only the parent process holds, and kills the whole process group when that end
 * closes. No process is left behind, even if the parent is killed. `exec` preserves the reported process ID.
 */
const GUARD = '{ cat <&3 >/dev/null; kill -s KILL -- -$$; } & exec "$@" 3<&-';

const groups = new Set<number>();
// If this process exits without stopping the participants, kill them as well.
process.once("exit", () => groups.forEach(killGroup));

interface GuardedOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** File descriptor for standard output and standard error. */
  readonly logFd: number;
}

/** Starts a program in its own process group, which is killed when this process exits, if not earlier. */
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

/** Kills all processes in the group of a guarded program. */
export function killGroup(pid: number): void {
  groups.delete(pid);
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has already exited.
  }
}
