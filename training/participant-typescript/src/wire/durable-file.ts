import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file atomically: after a crash, `path` contains either the complete file or no file. */
export async function writeDurably(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      for await (const chunk of chunks) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Moves a file so that it is complete and durable at its destination. */
export async function moveDurably(from: string, to: string): Promise<void> {
  const file = await open(from, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Syncs a folder. Without this, a new file name may not survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync folders, so a rename there can't be made more durable.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
