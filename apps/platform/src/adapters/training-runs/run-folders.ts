import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { JOURNAL_FILE } from "@tollgate/coordinator/journal/journal.ts";

/** A run's folder and the current state of its journal. */
export interface RunFolder {
  /** Name of the folder. */
  readonly id: string;
  readonly dir: string;
  readonly bytes: number;
  readonly changedAtMs: number;
}

const MAX_RUNS = 500;
const MAX_ENTRIES = 10_000;
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Lists up to 500 runs in a folder, most recently changed first. */
export async function listRunFolders(runsDir: string): Promise<readonly RunFolder[]> {
  const names = await unlessMissing(() => readdir(runsDir));
  const found: RunFolder[] = [];
  for (const name of (names ?? []).slice(0, MAX_ENTRIES)) {
    const run = await findRunFolder(runsDir, name);
    if (run !== null) found.push(run);
  }
  return found.toSorted((one, other) => other.changedAtMs - one.changedAtMs).slice(0, MAX_RUNS);
}

/** Returns the run with the given ID; null if the run doesn't exist or would be outside the folder. */
export async function findRunFolder(runsDir: string, id: string): Promise<RunFolder | null> {
  if (!RUN_ID.test(id)) return null;
  return unlessMissing(async () => {
    const dir = join(await realpath(runsDir), id);
    // Neither the run nor its journal may be a symbolic link.
    if (!(await lstat(dir)).isDirectory()) return null;
    const journal = await lstat(join(dir, JOURNAL_FILE));
    return journal.isFile() ? { id, dir, bytes: journal.size, changedAtMs: journal.mtimeMs } : null;
  });
}

async function unlessMissing<Value>(look: () => Promise<Value>): Promise<Value | null> {
  try {
    return await look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return null;
    throw error;
  }
}
