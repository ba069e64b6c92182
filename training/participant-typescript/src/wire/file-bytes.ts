import { createHash } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import { moveDurably, writeDurably } from "./durable-file.ts";
import { CHUNK_BYTES } from "./memory-bytes.ts";
import type { StoredBytes } from "./stored-bytes.ts";

/** Wraps a file owned by the caller, such as a checkpoint: disposing keeps the file, and moving copies it. */
export async function storeFile(path: string, knownSha256?: string): Promise<StoredBytes> {
  const { size } = await stat(path);
  return new FileBytes(path, size, knownSha256 ?? (await hashFile(path)), "borrowed");
}

/**
 * Bytes in a file that is open only while being read, so that a list of a thousand files doesn't need a thousand
 * descriptors.
 */
export class FileBytes implements StoredBytes {
  readonly byteLength: number;
  readonly sha256: string;
  #path: string;
  #ownership: "owned" | "borrowed";

  constructor(path: string, byteLength: number, sha256: string, ownership: "owned" | "borrowed") {
    this.#path = path;
    this.byteLength = byteLength;
    this.sha256 = sha256;
    this.#ownership = ownership;
  }

  async bytes(): Promise<Uint8Array> {
    const bytes = new Uint8Array(this.byteLength);
    const file = await open(this.#path, "r");
    try {
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await file.read(bytes, at, Math.min(bytes.length - at, READ_BYTES), at);
        if (bytesRead === 0) throw new Error(`${this.#path} is shorter than when it was stored`);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
    return bytes;
  }

  chunks(): AsyncIterable<Uint8Array> {
    return readChunks(this.#path, this.byteLength);
  }

  async moveTo(path: string): Promise<void> {
    if (this.#ownership === "borrowed") return writeDurably(path, this.chunks());
    await moveDurably(this.#path, path);
    this.#path = path;
    this.#ownership = "borrowed";
  }

  async dispose(): Promise<void> {
    if (this.#ownership === "owned") await rm(this.#path, { force: true });
  }
}

/** Maximum size of one read, because the kernel refuses more than 2 GiB. */
const READ_BYTES = 64 * 1024 * 1024;

async function* readChunks(path: string, byteLength: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    let at = 0;
    while (at < byteLength) {
      // Allocate a new buffer each time, because the receiver may still be sending the last buffer.
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, byteLength - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error(`${path} is shorter than when it was stored`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const { size } = await stat(path);
  for await (const chunk of readChunks(path, size)) hash.update(chunk);
  return hash.digest("hex");
}
