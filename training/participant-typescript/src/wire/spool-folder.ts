import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

export interface SpoolFolder {
  readonly path: string;
  /** Removes the folder and its contents. */
  close(): Promise<void>;
}

/** Creates a private folder for this process. Removes folders left behind by killed processes. */
export async function createSpoolFolder(parent: string = tmpdir()): Promise<SpoolFolder> {
  // The hostname distinguishes containers that share a folder and have the same process IDs.
  const prefix = `tollgate-spool-${hostname().replaceAll(/[^A-Za-z0-9]/g, "_")}-`;
  await removeAbandoned(parent, prefix);
  const path = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent);
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const owner = Number(/^(\d+)-/.exec(name.slice(prefix.length))?.[1]);
    const path = join(parent, name);
    const isAbandoned = owner === process.pid ? await isFromBefore(path) : owner > 0 && isGone(owner);
    // Another user's folder cannot be removed, and doesn't have to be.
    if (isAbandoned) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * Reports whether the folder is older than this process. A restarted container has the same hostname and process ID as
 * the killed container.
 */
async function isFromBefore(path: string): Promise<boolean> {
  const startedAt = Date.now() - process.uptime() * 1000;
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs < startedAt,
    () => false,
  );
}

function isGone(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
