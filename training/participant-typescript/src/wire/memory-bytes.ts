import { createHash } from "node:crypto";
import { writeDurably } from "./durable-file.ts";
import type { StoredBytes } from "./stored-bytes.ts";

/** Chunk size for streaming stored bytes. */
export const CHUNK_BYTES = 256 * 1024;

/** Wraps bytes in memory without copying them: later changes to the bytes change the stored value. */
export function storeInMemory(bytes: Uint8Array): StoredBytes {
  return new MemoryBytes([bytes]);
}

/** Bytes in one or more blocks, joined on demand. */
export class MemoryBytes implements StoredBytes {
  readonly byteLength: number;
  #blocks: readonly Uint8Array[];
  #sha256: string | undefined;

  constructor(blocks: readonly Uint8Array[], sha256?: string) {
    this.#blocks = blocks;
    this.#sha256 = sha256;
    this.byteLength = blocks.reduce((sum, block) => sum + block.length, 0);
  }

  get sha256(): string {
    if (this.#sha256 === undefined) {
      const hash = createHash("sha256");
      for (const block of this.#blocks) hash.update(block);
      this.#sha256 = hash.digest("hex");
    }
    return this.#sha256;
  }

  async bytes(): Promise<Uint8Array> {
    const [first] = this.#blocks;
    if (this.#blocks.length === 1 && first !== undefined) return first;
    const joined = new Uint8Array(this.byteLength);
    let at = 0;
    for (const block of this.#blocks) {
      joined.set(block, at);
      at += block.length;
    }
    // Release the blocks, so that the data is not in memory twice.
    this.#blocks = [joined];
    return joined;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (const block of this.#blocks) {
      for (let at = 0; at < block.length; at += CHUNK_BYTES) yield block.subarray(at, at + CHUNK_BYTES);
    }
  }

  async moveTo(path: string): Promise<void> {
    await writeDurably(path, this.chunks());
  }

  async dispose(): Promise<void> {
    this.#blocks = [];
  }
}
