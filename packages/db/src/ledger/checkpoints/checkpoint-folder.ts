import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { StoredCheckpoint } from "./deliver-checkpoints.ts";

const FILE_NAME = /^checkpoint-(\d{12,15})\.txt$/;
const NUMBER_DIGITS = 12;
const RESPONSE_LIMIT_MS = 10_000;

/** A file of a checkpoint folder. */
export interface CheckpointFile {
  readonly number: number;
  readonly path: string;
}

/**
 * Writes checkpoints to folders. A folder that does not respond, such as one of an unavailable file server, is an error
 * after ten seconds. Each pending write occupies a thread of this process, so there is no other one until it ends.
 */
export class FolderWriter {
  readonly #limitMs: number;
  #pending: Promise<void> | null = null;

  constructor(limitMs = RESPONSE_LIMIT_MS) {
    this.#limitMs = limitMs;
  }

  async write(folder: string, checkpoint: StoredCheckpoint): Promise<void> {
    if (this.#pending !== null) throw new Error("the folder has not responded to an earlier write yet");
    const written = writeCheckpointFile(folder, checkpoint);
    const pending = written
      .catch(() => {})
      .finally(() => {
        this.#pending = null;
      });
    this.#pending = pending;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("the folder does not respond")), this.#limitMs);
    try {
      await Promise.race([written, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Writes a checkpoint to a folder, durably and once: a file with other contents is never replaced. Creates the folder
 * only for its first checkpoint, so that a folder that disappears is an error.
 */
export async function writeCheckpointFile(folder: string, { number, content, isFirst }: StoredCheckpoint) {
  if (isFirst) await mkdir(folder, { recursive: true, mode: 0o750 });
  const path = join(folder, `checkpoint-${String(number).padStart(NUMBER_DIGITS, "0")}.txt`);
  const existing = await readFile(path, "utf8").catch(ignoreMissing);
  if (existing !== null && existing !== content) {
    throw new Error(`${path} already contains another checkpoint. Use a new folder.`);
  }
  if (existing === null) {
    const draft = join(folder, `.checkpoint-${number}.draft`);
    try {
      await writeDraft(draft, content);
      await rename(draft, path);
    } catch (error) {
      // A full folder cuts the draft. The rest would take up space that the next attempt needs.
      await rm(draft, { force: true }).catch(() => {});
      throw error;
    }
  }
  // Also if the file exists: an earlier attempt may have failed after the rename, which is then not durable yet.
  await syncFolder(folder);
}

async function writeDraft(draft: string, content: string): Promise<void> {
  // A killed worker may have left a draft, which its read-only mode protects from being written again.
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o440);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Lists the checkpoints in a folder, in order. Returns null if there is no such folder. */
export async function listCheckpointFiles(folder: string): Promise<readonly CheckpointFile[] | null> {
  const names = await readdir(folder).catch(ignoreMissing);
  if (names === null) return null;
  return names
    .flatMap((name) => {
      const number = FILE_NAME.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), path: join(folder, name) }];
    })
    .sort((left, right) => left.number - right.number);
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
