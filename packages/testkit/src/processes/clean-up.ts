import { readdirSync, readFileSync, rmSync } from "node:fs";

const undos = new Set<() => void>();
let isArmed = false;

/**
 * Registers a synchronous cleanup, which runs regardless of how the run ends. Returns a function that unregisters it.
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

/** Returns a process and all of its current descendants. */
export function listProcessTree(pid: number): number[] {
  const pids = [pid];
  for (const task of readFolder(`/proc/${pid}/task`)) {
    const children = readText(`/proc/${pid}/task/${task}/children`).trim();
    if (children !== "") pids.push(...children.split(" ").flatMap((child) => listProcessTree(Number(child))));
  }
  return pids;
}

/** Sends a signal. Ignores a process that has already ended. */
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
  process.on("exit", undoAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      undoAll();
      // Raise the signal again instead of exiting, because a test runner reports an exit as a failure.
      process.kill(process.pid, signal);
    });
}

/** Runs the cleanups in the reverse order of their registration. */
function undoAll(): void {
  for (const undo of [...undos].reverse()) {
    undos.delete(undo);
    try {
      undo();
    } catch (error) {
      console.error("not cleaned up:", error);
    }
  }
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
