import { open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A segment's file. It is renamed from `.seg` to `.done` once the ledger has all its events. */
interface SegmentFile {
  readonly number: number;
  readonly path: string;
  readonly byteLength: number;
  readonly isDone: boolean;
  /** Time of the last write or rename; for a done segment, the time it was marked. */
  readonly changedAtMs: number;
}

/** Maximum age and total size of done segments, which are retained in case the database is restored from a backup. */
export interface Retention {
  readonly retentionMs: number;
  readonly capBytes: number;
}

export const DEFAULT_RETENTION: Retention = { retentionMs: 24 * 60 * 60 * 1_000, capBytes: 1_024 ** 3 };

/** Returns the path of an unfinished segment. */
export const segmentPath = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(8, "0")}.seg`);

/** Parses a segment file name. Returns null for other names. */
export function parseSegmentName(name: string): { readonly number: number; readonly isDone: boolean } | null {
  const match = NAME.exec(name);
  return match === null ? null : { number: Number(match[1]), isDone: match[2] === "done" };
}

/** Lists all segments, oldest first, including prepared segments without records. */
export async function listSegments(directory: string): Promise<SegmentFile[]> {
  const files: SegmentFile[] = [];
  for (const name of await readdir(directory)) {
    const parsed = parseSegmentName(name);
    if (parsed === null) continue;
    const path = join(directory, name);
    // The other thread may rename or remove a file between the two calls.
    const facts = await stat(path).catch(ignoreMissing);
    if (facts === null) continue;
    files.push({ ...parsed, path, byteLength: facts.size, changedAtMs: facts.ctimeMs });
  }
  return files.sort((left, right) => left.number - right.number);
}

/** Reads a whole segment; null if it has been removed. */
export async function readSegment(file: SegmentFile): Promise<Buffer | null> {
  return readFile(file.path).catch(ignoreMissing);
}

/** Syncs to disk everything that any process has written to a segment. */
export async function syncSegment(file: SegmentFile): Promise<void> {
  const handle = await open(file.path, "r+");
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Marks a segment as fully settled in the ledger. Losing the mark in a crash is harmless. */
export async function markDone(directory: string, number: number): Promise<void> {
  const path = segmentPath(directory, number);
  await rename(path, path.replace(/seg$/, "done"));
}

/** Durably removes the done marks of all segments, because the ledger may have lost their events. */
export async function clearDone(directory: string): Promise<void> {
  for (const file of await listSegments(directory)) {
    if (file.isDone) await rename(file.path, segmentPath(directory, file.number)).catch(ignoreMissing);
  }
  await syncDirectory(directory);
}

/**
 * Removes done segments that are too old, then the oldest done segments while the journal exceeds its cap. Returns the
 * bytes left.
 */
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

/** Syncs a directory, so that its file names survive a power failure. Syncing only the files doesn't ensure that. */
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
