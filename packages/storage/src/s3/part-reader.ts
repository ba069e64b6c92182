/** Collects chunks of any size into parts of one size. Every part is read into the same memory. */
export class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #memory: Buffer;
  #rest: Uint8Array = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>, partBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#memory = Buffer.allocUnsafe(partBytes);
  }

  /** Returns the next part, which is valid until the next call. Only the last part is smaller than the others. */
  async next(): Promise<{ readonly part: Buffer; readonly isLast: boolean }> {
    for (let filled = 0; ; ) {
      const taken = this.#rest.subarray(0, this.#memory.length - filled);
      this.#memory.set(taken, filled);
      filled += taken.length;
      this.#rest = this.#rest.subarray(taken.length);
      // A full part is the last one if no byte follows.
      if (this.#rest.length > 0) return { part: this.#memory, isLast: false };
      const { value, done } = await this.#chunks.next();
      if (done === true) return { part: this.#memory.subarray(0, filled), isLast: true };
      this.#rest = value;
    }
  }

  /** Ends the iteration, so that the content can free what it holds. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
