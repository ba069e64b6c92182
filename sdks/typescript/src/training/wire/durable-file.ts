import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file so that a crash leaves either all of it or nothing at `path`. */
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

/** Moves a file so that it is whole and durable at its new place. */
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

/** A new name in a folder survives a power cut only once the folder itself is synced. */
async function syncFolder(path: string): Promise<void> {
  // Windows has no way to open a folder for syncing; there the rename is as durable as it gets.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
