import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { FileBytes } from "./file-bytes.ts";
import { MemoryBytes } from "./memory-bytes.ts";
import type { StoredBytes } from "./stored-bytes.ts";

const WRITE_BYTES = 1024 * 1024;
const SMALLEST_BLOCK_BYTES = 256;

/**
 * Memory limit shared by all parameters in one body, so that a thousand small models count the same as one large model.
 */
export class MemoryBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  has(bytes: number): boolean {
    return bytes <= this.#left;
  }

  take(bytes: number): boolean {
    if (!this.has(bytes)) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** Stores bytes as they arrive: in memory while the budget lasts, then all of them in a file in `folder`. */
export class Spool {
  readonly #folder: string;
  readonly #budget: MemoryBudget;
  readonly #expectedBytes: number;
  readonly #hash = createHash("sha256");
  #blocks: Uint8Array[] = [];
  /** Number of bytes used in the last block. */
  #filled = 0;
  #byteLength = 0;
  #file: FileHandle | undefined;
  #path = "";

  /** If `expectedBytes` exceeds the budget, everything goes to the file from the start. */
  constructor(folder: string, budget: MemoryBudget, expectedBytes = 0) {
    this.#folder = folder;
    this.#budget = budget;
    this.#expectedBytes = expectedBytes;
  }

  /** Copies the piece. A returned promise must be awaited before the next call. */
  write(piece: Uint8Array): Promise<void> | undefined {
    this.#hash.update(piece);
    const before = this.#byteLength;
    this.#byteLength += piece.length;
    if (this.#file !== undefined) return this.#writeToFile(piece);
    if (this.#budget.has(this.#expectedBytes - before) && this.#budget.take(piece.length)) {
      this.#copyIntoBlocks(piece, before);
      return undefined;
    }
    return this.#spill(before).then(() => this.#writeToFile(piece));
  }

  async finish(): Promise<StoredBytes> {
    const sha256 = this.#hash.digest("hex");
    this.#trimLastBlock();
    if (this.#file === undefined) return new MemoryBytes(this.#blocks, sha256);
    for (const block of this.#blocks) await this.#file.writeFile(block);
    await this.#file.close();
    this.#file = undefined;
    this.#blocks = [];
    return new FileBytes(this.#path, this.#byteLength, sha256, "owned");
  }

  /** Discards unfinished bytes. */
  async dispose(): Promise<void> {
    this.#blocks = [];
    await this.#file?.close();
    this.#file = undefined;
    if (this.#path !== "") await rm(this.#path, { force: true });
  }

  #copyIntoBlocks(piece: Uint8Array, before: number): void {
    let from = 0;
    while (from < piece.length) {
      let block = this.#blocks.at(-1);
      if (block === undefined || this.#filled === block.length) {
        // Blocks grow with the data: short entries waste no space, and long entries need few blocks.
        block = new Uint8Array(Math.max(piece.length - from, Math.min(before, WRITE_BYTES), SMALLEST_BLOCK_BYTES));
        this.#blocks.push(block);
        this.#filled = 0;
      }
      const taken = piece.subarray(from, from + block.length - this.#filled);
      block.set(taken, this.#filled);
      this.#filled += taken.length;
      from += taken.length;
    }
  }

  async #spill(held: number): Promise<void> {
    this.#path = join(this.#folder, `${randomUUID()}.spool`);
    this.#file = await open(this.#path, "wx", 0o600);
    this.#trimLastBlock();
    for (const block of this.#blocks) await this.#file.writeFile(block);
    this.#budget.giveBack(held);
    // From here on, the only block is the reused write buffer.
    this.#blocks = [new Uint8Array(WRITE_BYTES)];
    this.#filled = 0;
  }

  async #writeToFile(piece: Uint8Array): Promise<void> {
    const buffer = this.#blocks[0] as Uint8Array;
    let from = 0;
    while (from < piece.length) {
      const taken = piece.subarray(from, from + buffer.length - this.#filled);
      buffer.set(taken, this.#filled);
      this.#filled += taken.length;
      from += taken.length;
      if (this.#filled === buffer.length) {
        await this.#file?.writeFile(buffer);
        this.#filled = 0;
      }
    }
  }

  #trimLastBlock(): void {
    const last = this.#blocks.pop();
    if (last !== undefined && this.#filled > 0) {
      this.#blocks.push(this.#filled === last.length ? last : last.slice(0, this.#filled));
    }
  }
}
