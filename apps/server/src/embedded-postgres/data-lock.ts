import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, isRunning, type ProcessIdentity } from "./process-identity.ts";

/** Makes this process the only one that runs the database in the folder; returns how to let go of it. */
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
    // A link appears whole or not at all, and never replaces a file, so of two that start together one fails here.
    linkSync(draft, file);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? inUse(folder, readOwner(folder)) : error;
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    // Letting go twice must not take the lock from whoever has it by then.
    if (readOwner(folder)?.startTime === self.startTime) rmSync(file, { force: true });
  };
}

/** Who runs the database in the folder, whether that process still lives or not; null when nobody does. */
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
