import { createHash } from "node:crypto";
import { MAX_OBJECT_BYTES, type ObjectContent, StorageError, type WriteOptions } from "./storage.ts";

/** Content that is counted and hashed while it is read. Reading fails when it exceeds its limit. */
export class MeasuredContent {
  readonly #content: ObjectContent;
  readonly #maxBytes: number;
  readonly #hash = createHash("sha256");
  bytes = 0;

  constructor(content: ObjectContent, { maxBytes = MAX_OBJECT_BYTES }: WriteOptions) {
    this.#content = content;
    this.#maxBytes = Math.min(maxBytes, MAX_OBJECT_BYTES);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of this.#content) {
      this.bytes += chunk.length;
      if (this.bytes > this.#maxBytes) {
        throw new StorageError("too_large", `the object is larger than its limit of ${this.#maxBytes} bytes`);
      }
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  /** Returns the digest of the content, which must have been read to its end. */
  sha256(): string {
    return this.#hash.digest("hex");
  }
}
