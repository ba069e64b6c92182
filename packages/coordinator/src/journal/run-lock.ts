import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const LOCK_FILE = "lock";

const TAKEOVER_PAUSE_MS = 20;

/** Two coordinators on one folder would write over each other's rounds. */
export class RunIsLocked extends Error {
  readonly holder: LockHolder;

  constructor(dir: string, holder: LockHolder) {
    // A container that comes back has another name, and nobody here can see whether the old one still runs.
    const way =
      holder.host === hostname() ? "" : ` If that machine is no longer running, remove ${join(dir, LOCK_FILE)}.`;
    super(
      `Another coordinator (process ${holder.pid} on ${holder.host}) is using ${dir}. Wait until it finishes, or stop it.${way}`,
    );
    this.name = "RunIsLocked";
    this.holder = holder;
  }
}

export interface LockHolder {
  readonly pid: number;
  /** When the process began, by the system's own count, so that a reused process id is not mistaken for it. */
  readonly started: string;
  readonly host: string;
  readonly since: string;
}

/** Takes the folder for this process until the returned function is called. A dead holder's lock is taken over. */
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
    // A link either appears whole or not at all, so nobody reads half a lock.
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

/** Who holds the folder; null if nobody living does. */
export async function findLockHolder(dir: string): Promise<LockHolder | null> {
  const holder = await readLock(join(dir, LOCK_FILE));
  return holder !== null && isAlive(holder) ? holder : null;
}

/**
 * Of several that find the same dead lock only one may remove it, and only while it is still the dead one: otherwise
 * the slower would remove the lock the faster has just taken.
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
  // Whether a process of another machine lives cannot be known here, so it counts as alive.
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
    // The name in parentheses may hold anything, so fields are counted after it; the 20th from there is the start.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // Systems without /proc: the process id alone has to do.
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
