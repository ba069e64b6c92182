import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

import type { FileFacts, UploadedFile } from "../call/call-body.ts";

const READ_BYTES = 64 * 1024;

/** Creates a small file that stays in memory. */
export function fileInMemory(facts: FileFacts, chunks: readonly Buffer[]): UploadedFile {
  return { ...facts, open: () => Readable.from(chunks, { objectMode: false }), close: async () => {} };
}

/** Creates a file on disk. Reads use positions, so that concurrent readers don't interfere. */
export function fileOnDisk(facts: FileFacts, handle: FileHandle): UploadedFile {
  return {
    ...facts,
    open: () => Readable.from(readPieces(handle, facts.size), { objectMode: false }),
    close: () => handle.close(),
  };
}

/**
 * Opens a new file and unlinks it, so that no other process can open it. The kernel deletes the file when this process
 * closes it or exits.
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
