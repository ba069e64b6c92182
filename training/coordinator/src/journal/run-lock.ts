import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const LOCK_FILE = "lock";

const TAKEOVER_PAUSE_MS = 20;

/** Thrown if another coordinator is using the folder. Two coordinators would overwrite each other's rounds. */
export class RunIsLocked extends Error {
  readonly holder: LockHolder;

  constructor(dir: string, holder: LockHolder) {
    // A recreated container has a new hostname, and this process cannot see whether the old container is still
    // running.
    const way =
      holder.host === hostname() ? "" : ` If that machine is no longer running, remove ${join(dir, LOCK_FILE)}.`;
    super(
      `Another coordinator (process ${holder.pid} on ${holder.host}) is using ${dir}. Wait until it finishes, or stop it.${way}`,
    );
    this.name = "RunIsLocked";
    this.holder = holder;
  }
}

interface LockHolder {
  readonly pid: number;
  /** Process start time as reported by the system, so that a reused process ID is not mistaken for the holder. */
  readonly started: string;
  readonly host: string;
  readonly since: string;
}

/** Locks the folder for this process until the returned function is called. Takes over the lock of a dead holder. */
export async function lockRun(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, LOCK_FILE);
  const own = `${path}.${randomUUID()}`;
  const holder: LockHolder = {
    pid: process.pid,
    started: readProcessStart(process.pid),
    host: hostname(),
    since: new Date().toISOString(),
  };
  await writeFile(own, `${JSON.stringify(holder)}\n`, { mode: 0o600, flag: "wx" });
  try {
    // A link is created atomically, so a partial lock is never read.
    while (!(await tryLink(own, path))) {
      const other = await readLock(path);
      if (other !== null && isAlive(other)) throw new RunIsLocked(dir, other);
      await removeDeadLock(path, own);
    }
  } finally {
    await rm(own, { force: true });
  }
  return () => rm(path, { force: true });
}

/** Returns the live holder of the folder's lock, or null. */
export async function findLockHolder(dir: string): Promise<LockHolder | null> {
  const holder = await readLock(join(dir, LOCK_FILE));
  return holder !== null && isAlive(holder) ? holder : null;
}

/**
 * Removes the lock of a dead holder. Only one of several contenders may remove it, and only while it is still the dead
 * holder's lock. Otherwise, the slower contender would remove the lock that the faster one has just acquired.
 */
async function removeDeadLock(path: string, own: string): Promise<void> {
  const claim = `${path}.takeover`;
  if (await tryLink(own, claim)) {
    const holder = await readLock(path);
    if (holder === null || !isAlive(holder)) await rm(path, { force: true });
    await rm(claim, { force: true });
    return;
  }
  const other = await readLock(claim);
  if (other !== null && !isAlive(other)) await rm(claim, { force: true });
  await pause(TAKEOVER_PAUSE_MS);
}

async function readLock(path: string): Promise<LockHolder | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as LockHolder;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    ignoreMissing(error);
    return null;
  }
}

function isAlive({ pid, started, host }: LockHolder): boolean {
  // The state of a process on another machine is unknown, so the process counts as alive.
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return readProcessStart(pid) === started;
}

function readProcessStart(pid: number): string {
  try {
    // The name in parentheses may contain anything, so count the fields after it. The 20th of these fields is the start
    // time.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // Without /proc, only the process ID identifies the holder.
    return "";
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
