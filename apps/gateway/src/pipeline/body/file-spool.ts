import type { FileHandle } from "node:fs/promises";
import { Failure } from "@tollgate/contracts/failures.ts";
import { fileInMemory, fileOnDisk, openAnonymousFile, type UploadedFile } from "./uploaded-file.ts";

/** Files up to this size stay in memory. */
const MEMORY_BYTES = 1024 * 1024;
/** Maximum number of unwritten bytes before the client is paused. */
const MAX_WAITING_BYTES = 512 * 1024;
const HEAD_BYTES = 16 * 1024;
/**
 * Size to which smaller chunks are combined. A client may send single bytes, and each chunk has a memory overhead of a
 * hundred bytes.
 */
const BLOCK_BYTES = 64 * 1024;

/** Receives an uploaded file in memory or, if it is large, on disk. Reads no faster than the disk can write. */
export class FileSpool {
  readonly #filename: string;
  readonly #contentType: string;
  readonly #limitBytes: number;
  readonly #resume: () => void;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #size = 0;
  #head: Buffer = Buffer.alloc(0);
  #handle: FileHandle | null = null;
  #block: Buffer | null = null;
  #blockBytes = 0;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #failure: Failure | null = null;
  #isDiscarded = false;

  /** `resume` is called when the spool accepts chunks again after `isReady` was false. */
  constructor(filename: string, contentType: string, limitBytes: number, resume: () => void) {
    this.#filename = filename;
    this.#contentType = contentType;
    this.#limitBytes = limitBytes;
    this.#resume = resume;
  }

  /** Adds a chunk. Throws a Failure once the file exceeds the limit. */
  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limitBytes) {
      throw new Failure("request_too_large", `The file is larger than the limit of ${this.#limitBytes} bytes.`, {
        param: "file",
        fix: "Send a shorter or compressed recording. The operator sets the limit with general_settings.max_file_size_mb.",
      });
    }
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    if (this.#failure !== null) throw this.#failure;
    this.#waitingBytes += chunk.length;
    this.#gather(chunk);
    if (!this.#isWriting && this.#size > MEMORY_BYTES) {
      this.#isWriting = true;
      this.#written = this.#write();
    }
  }

  /** True if the spool accepts more chunks now. */
  get isReady(): boolean {
    return !this.#isWriting || this.#waitingBytes <= MAX_WAITING_BYTES;
  }

  /** Returns the complete file. Throws a Failure if it could not be stored. */
  async finish(): Promise<UploadedFile> {
    await this.#written;
    if (this.#failure !== null) throw this.#failure;
    const facts = {
      filename: this.#filename,
      contentType: this.#contentType,
      size: this.#size,
      head: this.#head,
    };
    return this.#handle === null ? fileInMemory(facts, this.#takeChunks()) : fileOnDisk(facts, this.#handle);
  }

  /** Discards the file. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#written;
    await this.#handle?.close();
  }

  #gather(chunk: Buffer): void {
    if (chunk.length >= BLOCK_BYTES / 4) {
      this.#endBlock();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#blockBytes + chunk.length > BLOCK_BYTES) this.#endBlock();
    this.#block ??= Buffer.allocUnsafe(BLOCK_BYTES);
    chunk.copy(this.#block, this.#blockBytes);
    this.#blockBytes += chunk.length;
  }

  #endBlock(): void {
    if (this.#block === null) return;
    this.#chunks.push(this.#block.subarray(0, this.#blockBytes));
    this.#block = null;
    this.#blockBytes = 0;
  }

  #takeChunks(): Buffer[] {
    this.#endBlock();
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Writes until no chunk is pending. */
  async #write(): Promise<void> {
    try {
      this.#handle ??= await openAnonymousFile();
      while (this.#waitingBytes > 0 && !this.#isDiscarded) {
        const chunks = this.#takeChunks();
        for (const chunk of chunks) await this.#handle.appendFile(chunk);
        const wasReady = this.isReady;
        for (const chunk of chunks) this.#waitingBytes -= chunk.length;
        if (!wasReady && this.isReady) this.#resume();
      }
    } catch (error) {
      this.#failure = new Failure("service_unavailable", "The uploaded file could not be stored.", { cause: error });
      this.#chunks = [];
      this.#resume();
    }
    this.#isWriting = false;
  }
}
