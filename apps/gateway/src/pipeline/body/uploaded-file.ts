import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

const READ_BYTES = 64 * 1024;

/** A file that came with a request. Can be read again for each attempt, and is gone when the call has ended. */
export interface UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** Its first bytes, enough to tell what it is. */
  readonly head: Buffer;
  open(): Readable;
  /** Lets go of it. Whoever still reads hears of an error. */
  close(): Promise<void>;
}

/** What a file is called, of what kind and how large it is. */
export type FileFacts = Pick<UploadedFile, "filename" | "contentType" | "size" | "head">;

/** A file that is small enough to be kept as it came. */
export function fileInMemory(facts: FileFacts, chunks: readonly Buffer[]): UploadedFile {
  return { ...facts, open: () => Readable.from(chunks, { objectMode: false }), close: async () => {} };
}

/** A file on disk, read by position, so that several readings do not disturb each other. */
export function fileOnDisk(facts: FileFacts, handle: FileHandle): UploadedFile {
  return {
    ...facts,
    open: () => Readable.from(readPieces(handle, facts.size), { objectMode: false }),
    close: () => handle.close(),
  };
}

/**
 * A new file that has no name any more: nobody else can open it, and it is gone when this process lets go of it, however
 * that comes about.
 */
export async function openAnonymousFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `tollgate-${randomUUID()}`);
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  await unlink(path);
  return handle;
}

async function* readPieces(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    const piece = Buffer.allocUnsafe(Math.min(READ_BYTES, size - position));
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) throw new Error("an uploaded file became shorter");
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
