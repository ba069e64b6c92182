import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const TOLLGATE = join(import.meta.dirname, "../../../../bin/tollgate");

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates an empty working directory and functions that run the command in it. */
export function createWorkplace() {
  const folder = mkdtempSync(join(tmpdir(), "train-"));
  const start = (args: readonly string[], cwd = folder): ChildProcess =>
    spawn(TOLLGATE, ["train", ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    });
  return {
    folder,
    start,
    run: (...args: string[]) => finish(start(args)),
    runIn: (name: string, ...args: string[]) => finish(start(args, join(folder, name))),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Waits for a command to exit and returns its output. */
export async function finish(child: ChildProcess): Promise<Finished> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

export interface TrainEvent {
  readonly type: string;
  readonly round?: number;
  readonly id?: string;
  readonly pid?: number;
  readonly participant?: string;
  readonly reason?: string;
  readonly trained?: number;
  readonly selected?: number;
}

/**
 * Calls `onEvent` for each event that a command with `--json` prints. Resolves with all events when the command exits.
 */
export async function followEvents(
  child: ChildProcess,
  onEvent: (event: TrainEvent, seen: readonly TrainEvent[]) => void,
) {
  const events: TrainEvent[] = [];
  const stderr = collect(child.stderr);
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const event = JSON.parse(line) as TrainEvent;
    events.push(event);
    onEvent(event, events);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, events, stderr: stderr.join("") };
}

/** Reports whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function collect(stream: NodeJS.ReadableStream | null): string[] {
  const pieces: string[] = [];
  stream?.on("data", (piece: Buffer) => pieces.push(piece.toString()));
  return pieces;
}
