import { open, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Retention, removeDoneSegments, syncDirectory } from "@tollgate/journal/journal-directory.ts";
import { Reserved, Word } from "./ring.ts";
import type { Reserve } from "./segment-writer.ts";

interface ReserveOptions {
  readonly directory: string;
  readonly words: Int32Array;
  readonly next: Reserve;
  readonly emergency: Reserve;
  readonly retention: Retention;
}

/**
 * Size of the first segment, which is small because a process waits for it at startup. Each segment after it is twice
 * as large as the previous one, up to the full size.
 */
const FIRST_BYTES = 4 * 1_024 * 1_024;
const PIECE = Buffer.alloc(1_024 * 1_024);

/**
 * Prepares two zero-filled files for the thread: the next segment, and an emergency segment for when the disk is full.
 */
export class Reserves {
  readonly #options: ReserveOptions;
  #nextBytes: number;

  constructor(options: ReserveOptions) {
    this.#options = options;
    this.#nextBytes = Math.min(FIRST_BYTES, options.next.byteLength);
  }

  /** Prepares the first segment of the journal. Throws if there is no space for it. */
  async prepareFirst(): Promise<void> {
    await this.#prepareNext();
  }

  /** Prepares the missing files. Throws if there is no space for them on the disk or under the cap. */
  async replenish(): Promise<void> {
    const { words, emergency } = this.#options;
    if (Atomics.load(words, Word.emergency) === Reserved.missing) await this.#prepare(emergency, Word.emergency);
    if (Atomics.load(words, Word.next) === Reserved.missing) await this.#prepareNext();
  }

  /** Deletes the prepared files. The thread must have exited. */
  async remove(): Promise<void> {
    const { directory, next, emergency } = this.#options;
    for (const { file } of [next, emergency]) await unlink(join(directory, file)).catch(() => undefined);
  }

  async #prepareNext(): Promise<void> {
    const { directory, retention, next } = this.#options;
    // Before the journal is reported as full, segments that are done are deleted to make space for the new segment.
    const byteLength = this.#nextBytes;
    const capBytes = retention.capBytes - byteLength;
    const usedBytes = await removeDoneSegments(directory, { ...retention, capBytes }, Date.now());
    if (usedBytes > capBytes) throw new Error(`The journal has reached its cap of ${retention.capBytes} bytes.`);
    await this.#prepare({ file: next.file, byteLength }, Word.next);
    this.#nextBytes = Math.min(2 * byteLength, next.byteLength);
  }

  /** Prepares a file. The thread may use it only once it is complete and its name is on disk. */
  async #prepare({ file, byteLength }: Reserve, word: number): Promise<void> {
    const { directory, words } = this.#options;
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < byteLength) throw new Error(`The journal disk has less than ${byteLength} bytes free.`);
    const path = join(directory, file);
    try {
      await writeZeros(path, byteLength);
      await syncDirectory(directory);
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    }
    Atomics.store(words, word, Reserved.ready);
    Atomics.notify(words, word);
  }
}

async function writeZeros(path: string, byteLength: number): Promise<void> {
  const handle = await open(path, "w");
  try {
    for (let written = 0; written < byteLength; written += PIECE.length) {
      await handle.write(PIECE, 0, Math.min(PIECE.length, byteLength - written), written);
      // Sync each piece, because one large sync would delay the journal's own syncs.
      await handle.datasync();
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
