import { open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A segment's file. It is renamed from `.seg` to `.done` once the ledger has all of it. */
export interface SegmentFile {
  readonly number: number;
  readonly path: string;
  readonly byteLength: number;
  readonly isDone: boolean;
  /** When the file was last written to or renamed: for a done one, when it became so. */
  readonly changedAtMs: number;
}

/** How long, and in how many bytes of journal, done segments are kept for a database that is restored from a backup. */
export interface Retention {
  readonly retentionMs: number;
  readonly capBytes: number;
}

export const DEFAULT_RETENTION: Retention = { retentionMs: 24 * 60 * 60 * 1_000, capBytes: 1_024 ** 3 };

/** The path of the segment with this number while it is not done. */
export const segmentPath = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(8, "0")}.seg`);

/** What a file's name says of a segment, or null when it is none. */
export function parseSegmentName(name: string): { readonly number: number; readonly isDone: boolean } | null {
  const match = NAME.exec(name);
  return match === null ? null : { number: Number(match[1]), isDone: match[2] === "done" };
}

/** All segments, oldest first, also those that were prepared and not yet written to. */
export async function listSegments(directory: string): Promise<SegmentFile[]> {
  const files: SegmentFile[] = [];
  for (const name of await readdir(directory)) {
    const parsed = parseSegmentName(name);
    if (parsed === null) continue;
    const path = join(directory, name);
    // A file may be renamed or removed by its other user between the two calls.
    const facts = await stat(path).catch(ignoreMissing);
    if (facts === null) continue;
    files.push({ ...parsed, path, byteLength: facts.size, changedAtMs: facts.ctimeMs });
  }
  return files.sort((left, right) => left.number - right.number);
}

/** All bytes of a segment; null when it was removed meanwhile. */
export async function readSegment(file: SegmentFile): Promise<Buffer | null> {
  return readFile(file.path).catch(ignoreMissing);
}

/** Puts all that was written to a segment on disk, whoever wrote it. */
export async function syncSegment(file: SegmentFile): Promise<void> {
  const handle = await open(file.path, "r+");
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Says that the ledger has everything of this segment. Losing the mark in a crash is harmless. */
export async function markDone(directory: string, number: number): Promise<void> {
  const path = segmentPath(directory, number);
  await rename(path, path.replace(/seg$/, "done"));
}

/** Says that the ledger may have lost what it had of all segments; on disk when this returns. */
export async function clearDone(directory: string): Promise<void> {
  for (const file of await listSegments(directory)) {
    if (file.isDone) await rename(file.path, segmentPath(directory, file.number)).catch(ignoreMissing);
  }
  await syncDirectory(directory);
}

/** Removes done segments that are too old, then the oldest of them while the journal is over its cap. Returns the bytes left. */
export async function removeDoneSegments(directory: string, retention: Retention, nowMs: number): Promise<number> {
  const files = await listSegments(directory);
  let byteLength = files.reduce((sum, file) => sum + file.byteLength, 0);
  for (const file of files) {
    if (!file.isDone) continue;
    if (nowMs - file.changedAtMs < retention.retentionMs && byteLength <= retention.capBytes) continue;
    await unlink(file.path).catch(ignoreMissing);
    byteLength -= file.byteLength;
  }
  return byteLength;
}

/** Makes the names in a directory survive a power cut: a file's own sync does not. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const NAME = /^(\d{8,})\.(seg|done)$/;

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
