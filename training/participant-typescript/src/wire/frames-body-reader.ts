import type { JsonObject } from "../handlers.ts";
import { FRAMES_PREFIX_BYTES, type FramesHeader, readFramesHeader, readFramesPrefix } from "./frames-header.ts";
import { JsonScanner } from "./json-scanner.ts";
import { malformed, tooLarge } from "./malformed.ts";
import { MemoryBudget, Spool } from "./spool.ts";
import type { StoredBytes } from "./stored-bytes.ts";
import type { Blobs, DecodeOptions } from "./wire-body.ts";

/** Reads a frames body piece by piece and verifies the length and checksum at the end of each frame. */
export class FramesBodyReader {
  readonly #options: DecodeOptions;
  readonly #budget: MemoryBudget;
  readonly #prefix = Buffer.alloc(FRAMES_PREFIX_BYTES);
  readonly #scanner = new JsonScanner({ takesParameters: false });
  readonly #stored: StoredBytes[] = [];
  #headerEnd: number | undefined;
  #header: FramesHeader | undefined;
  #spool: Spool | undefined;
  #frameLeft = 0;

  constructor(options: DecodeOptions) {
    this.#options = options;
    this.#budget = new MemoryBudget(options.memoryBytes);
  }

  async push(piece: Uint8Array, offset: number): Promise<void> {
    let at = 0;
    while (at < piece.length) {
      if (this.#headerEnd === undefined) at = this.#readPrefix(piece, at, offset);
      else if (this.#header === undefined) at = await this.#readHeader(piece, at, offset, this.#headerEnd);
      else at = await this.#readFrame(piece, at, offset, this.#header);
    }
  }

  async finish(offset: number): Promise<{ fields: JsonObject; blobs: Blobs }> {
    const header = this.#header;
    if (header === undefined) throw malformed("the body ends inside the frames header", { position: offset });
    if (this.#stored.length < header.frames.length) {
      throw malformed(`the body ends inside frame ${this.#stored.length}`, { position: offset });
    }
    const at = (index: number): StoredBytes => this.#stored[index] as StoredBytes;
    const { parameters } = header;
    return {
      fields: header.fields,
      blobs: {
        // An empty frame means the same as "" in JSON: no parameters yet.
        parameters:
          typeof parameters === "number" ? (at(parameters).byteLength > 0 ? at(parameters) : null) : parameters,
        parametersList: header.parametersList?.map(at),
      },
    };
  }

  async dispose(): Promise<void> {
    await this.#spool?.dispose();
    for (const stored of this.#stored) await stored.dispose();
  }

  #readPrefix(piece: Uint8Array, from: number, offset: number): number {
    const have = offset + from;
    const taken = piece.subarray(from, from + FRAMES_PREFIX_BYTES - have);
    this.#prefix.set(taken, have);
    if (have + taken.length === FRAMES_PREFIX_BYTES) {
      this.#headerEnd = FRAMES_PREFIX_BYTES + readFramesPrefix(this.#prefix);
    }
    return from + taken.length;
  }

  async #readHeader(piece: Uint8Array, from: number, offset: number, headerEnd: number): Promise<number> {
    const taken = piece.subarray(0, Math.min(piece.length, headerEnd - offset));
    if (taken.length > from) this.#scanner.scan(taken, from, offset);
    if (offset + taken.length < headerEnd) return taken.length;
    const header = readFramesHeader(this.#scanner.finish(headerEnd), this.#options.maxEntries);
    const total = header.frames.reduce((sum, frame) => sum + frame.length, headerEnd);
    // Check the total size before the first frame arrives, so that an oversized upload is refused early.
    if (total > this.#options.maxBytes) throw tooLarge("frames", this.#options.maxBytes);
    this.#header = header;
    await this.#openFrame(header);
    return taken.length;
  }

  async #readFrame(piece: Uint8Array, from: number, offset: number, header: FramesHeader): Promise<number> {
    if (this.#spool === undefined) {
      throw malformed("the body continues after the last frame", { position: offset + from });
    }
    const taken = piece.subarray(from, from + this.#frameLeft);
    await this.#spool.write(taken);
    this.#frameLeft -= taken.length;
    if (this.#frameLeft === 0) {
      await this.#closeFrame(this.#spool, header);
      await this.#openFrame(header);
    }
    return from + taken.length;
  }

  /** Opens the next non-empty frame. Empty frames are completed immediately. */
  async #openFrame(header: FramesHeader): Promise<void> {
    for (let next = header.frames[this.#stored.length]; next !== undefined; next = header.frames[this.#stored.length]) {
      const spool = new Spool(this.#options.folder, this.#budget, next.length);
      this.#spool = spool;
      this.#frameLeft = next.length;
      if (next.length > 0) return;
      await this.#closeFrame(spool, header);
    }
  }

  async #closeFrame(spool: Spool, header: FramesHeader): Promise<void> {
    const stored = await spool.finish();
    const index = this.#stored.push(stored) - 1;
    this.#spool = undefined;
    if (stored.sha256 !== header.frames[index]?.sha256) {
      throw malformed(`frame ${index} does not match the sha256 in its header`);
    }
  }
}
