import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { identifyProcess, isRunning, type ProcessIdentity } from "./process-identity.ts";

const POLL_MS = 10;
const FAST_STOP_LIMIT_MS = 15_000;
const HARD_STOP_LIMIT_MS = 5_000;

/**
 * Returns the server that runs on this cluster, or null. Trusts a recorded PID only if that process runs in the
 * cluster's folder.
 */
export function findPostmaster(cluster: string): ProcessIdentity | null {
  const pid = Number(readPidFile(cluster)[0]);
  const found = Number.isInteger(pid) && pid > 0 ? identifyProcess(pid) : null;
  try {
    return found !== null && readlinkSync(`/proc/${pid}/cwd`) === cluster ? found : null;
  } catch {
    return null;
  }
}

/** Reports whether this server accepts connections. */
export function isReady(cluster: string, pid: number): boolean {
  const lines = readPidFile(cluster);
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
}

/** Stops a server and waits for it to exit. Open sessions are terminated. Committed data is safe. */
export async function stopPostmaster(server: ProcessIdentity): Promise<void> {
  if (await signalAndWait(server, "SIGINT", FAST_STOP_LIMIT_MS)) return;
  if (await signalAndWait(server, "SIGQUIT", HARD_STOP_LIMIT_MS)) return;
  throw new Error(`PostgreSQL (PID ${server.pid}) did not stop`);
}

async function signalAndWait(server: ProcessIdentity, signal: NodeJS.Signals, limitMs: number): Promise<boolean> {
  if (isRunning(server)) process.kill(server.pid, signal);
  const deadline = performance.now() + limitMs;
  while (isRunning(server)) {
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}

function readPidFile(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return [];
  }
}
