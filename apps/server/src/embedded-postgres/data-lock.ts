import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, isRunning, type ProcessIdentity } from "./process-identity.ts";

/**
 * Locks the data folder, so that only this process runs the database in it. Returns a function that releases the lock.
 */
export function lockData(folder: string): () => void {
  const self = identifyProcess(process.pid);
  if (self === null) throw new Error("could not identify this process because /proc is missing");
  const file = join(folder, "owner.json");
  const draft = join(folder, `owner.${process.pid}.json`);
  writeFileSync(draft, JSON.stringify(self), { mode: 0o600 });
  try {
    const owner = readOwner(folder);
    if (owner !== null && isRunning(owner)) throw inUse(folder, owner);
    rmSync(file, { force: true });
    // Creating a hard link is atomic and never replaces a file, so if two processes start concurrently, one of them
    // fails here.
    linkSync(draft, file);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? inUse(folder, readOwner(folder)) : error;
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    // If the lock is released twice, the second release must not remove the lock of the next owner.
    if (readOwner(folder)?.startTime === self.startTime) rmSync(file, { force: true });
  };
}

/** Returns the process that is recorded as the folder's owner, running or not; null if there is none. */
export function readOwner(folder: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(join(folder, "owner.json"), "utf8"));
  } catch {
    return null;
  }
}

function inUse(folder: string, owner: ProcessIdentity | null): Error {
  const who = owner === null ? "another Tollgate process" : `another Tollgate process (PID ${owner.pid})`;
  return new Error(`The database in ${folder} is in use by ${who}. Stop it, or choose another data folder.`);
}
