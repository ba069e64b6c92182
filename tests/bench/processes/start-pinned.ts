import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listProcessTree } from "@tollgate/testkit/processes/clean-up.ts";
import { undoAtEnd } from "./clean-up.ts";

export interface PinnedOptions {
  readonly name: string;
  readonly core: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  /** True for benchmark programs that receive commands over a channel. */
  readonly hasChannel?: boolean;
}

export interface PinnedProcess {
  readonly child: ChildProcess;
  pids(): number[];
  hasEnded(): boolean;
  /** Returns the last lines of output, for startup errors. */
  readLog(): string;
  stop(): Promise<void>;
}

const openFiles = 20_000;
const graceMs = 10_000;
const shownLines = 15;

/** Starts a program on one core in its own process group, with a high open-file limit. */
export function startPinned(options: PinnedOptions): PinnedProcess {
  const logPath = join(options.directory, `${options.name}.log`);
  const log = openSync(logPath, "a");
  const [shell, ...first] = pinnedCommand(options.core);
  const child = spawn(shell, [...first, options.command, ...options.args], {
    cwd: options.directory,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ["ignore", log, log, ...(options.hasChannel ? (["ipc"] as const) : [])],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });

  return {
    child,
    pids: () => (child.pid === undefined ? [] : listProcessTree(child.pid)),
    hasEnded: () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null,
    readLog: () => readLastLines(logPath),
    stop: undoAtEnd(async () => {
      if (child.pid === undefined) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
      await ended;
      clearTimeout(timer);
      // Kill everything that is left in the program's process group.
      signalGroup(child, "SIGKILL");
    }),
  };
}

/** Returns the start of a command that runs the rest of it on one core, with a high open-file limit. */
export function pinnedCommand(core: number): readonly [string, ...string[]] {
  // The shell and taskset use exec, so the child's PID is the program's.
  return ["sh", "-c", `ulimit -n ${openFiles} 2>/dev/null; exec taskset -c "$0" "$@"`, String(core)];
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is already empty.
  }
}

function readLastLines(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-shownLines).join("\n") : "";
}
