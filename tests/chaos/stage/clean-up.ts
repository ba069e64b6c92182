import { readdirSync, readFileSync, rmSync } from "node:fs";

const undos = new Set<() => void>();
let isArmed = false;

/**
 * Remembers how to undo something at once, so that a run that ends in any way leaves nothing behind. What is returned
 * forgets it again.
 */
export function undoAtExit(undo: () => void): () => void {
  arm();
  undos.add(undo);
  return () => undos.delete(undo);
}

/** Removes a folder at the end of the run. */
export function removeAtExit(folder: string): void {
  undoAtExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

/** A process and everything it started, as they are now. */
export function listProcessTree(pid: number): number[] {
  const pids = [pid];
  for (const task of readFolder(`/proc/${pid}/task`)) {
    const children = readText(`/proc/${pid}/task/${task}/children`).trim();
    if (children !== "") pids.push(...children.split(" ").flatMap((child) => listProcessTree(Number(child))));
  }
  return pids;
}

/** Sends a signal; a process that is gone already is what was wanted. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function arm(): void {
  if (isArmed) return;
  isArmed = true;
  // The last thing that was set up is the first to go.
  process.on("exit", () => {
    for (const undo of [...undos].reverse()) {
      try {
        undo();
      } catch (error) {
        console.error("not cleaned up:", error);
      }
    }
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
