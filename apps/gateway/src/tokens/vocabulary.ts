import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Supported vocabularies: one for newer and one for older OpenAI models. */
export type Encoding = "o200k_base" | "cl100k_base";

/** Folder of the files that `scripts/generate-vocabularies.ts` writes, one for each encoding. */
const folder = join(import.meta.dirname, "vocabularies");
const loaded: Record<Encoding, Vocabulary | null> = { o200k_base: null, cl100k_base: null };

const LONGEST_TOKEN = 128;
const COUNT_BYTES = 4;
const FREE = -1;
/** Higher than every rank. */
const NO_RANK = 0xffff_ffff;

/** Starts of a word's parts, and the end of the last part. */
let starts = new Uint32Array(1_024);
/** Rank of each part merged with the next part. */
let ranks = new Uint32Array(1_024);
const rankAt = (index: number): number => ranks[index] as number;

/**
 * The tokens of an encoding, by rank. Everything is in three buffers outside the JavaScript heap: 4 MiB for the larger
 * vocabulary, whereas strings and a map of them take 72 MiB and 150 ms of CPU time.
 */
export class Vocabulary {
  /** The bytes of all tokens, one after another. */
  readonly #bytes: Uint8Array;
  /** Start of each token in the bytes, and the end of the last token. */
  readonly #starts: Uint32Array;
  /** Hash table of ranks with open addressing. */
  readonly #table: Int32Array;

  /** Returns a vocabulary. The first call reads it from its file, which takes about 20 ms. */
  static of(encoding: Encoding): Vocabulary {
    const vocabulary = loaded[encoding] ?? new Vocabulary(readFileSync(join(folder, `${encoding}.bin`)));
    loaded[encoding] = vocabulary;
    return vocabulary;
  }

  /** `file` contains the number of tokens, the length of each token, and the bytes of all tokens. */
  private constructor(file: Buffer) {
    const count = file.readUInt32LE(0);
    this.#bytes = file.subarray(COUNT_BYTES + count);
    this.#starts = new Uint32Array(count + 1);
    // Fewer than half of the slots are used, so that a search ends after one or two.
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(count * 2))).fill(FREE);
    const mask = this.#table.length - 1;
    let start = 0;
    for (let rank = 0; rank < count; rank += 1) {
      const end = start + (file[COUNT_BYTES + rank] as number);
      let slot = slotOf(this.#bytes, start, end, mask);
      while (this.#table[slot] !== FREE) slot = (slot + 1) & mask;
      this.#table[slot] = rank;
      start = end;
      this.#starts[rank + 1] = end;
    }
  }

  /** Returns the bytes of a token, or null if there is no such token. */
  bytesOf(token: number): Uint8Array | null {
    const [start, end] = [this.#starts[token], this.#starts[token + 1]];
    return start === undefined || end === undefined ? null : this.#bytes.subarray(start, end);
  }

  /** Returns the number of tokens of a word, which is given by its bytes. */
  count(word: Uint8Array, length: number): number {
    // Tokens that start with a byte order mark are not used.
    if (!startsWithMark(word, 0, length) && this.#rankOf(word, 0, length) !== NO_RANK) return 1;
    return this.#countMerged(word, length);
  }

  /** Merges a word's bytes: of all adjacent parts that are a token together, those with the lowest rank first. */
  #countMerged(word: Uint8Array, length: number): number {
    if (length >= starts.length) [starts, ranks] = [new Uint32Array(length * 2), new Uint32Array(length * 2)];
    let parts = length;
    for (let index = 0; index <= length; index += 1) starts[index] = index;
    for (let index = 0; index < length; index += 1) ranks[index] = this.#rankOfPair(word, index, parts);
    for (;;) {
      let lowest = 0;
      for (let index = 1; index < parts; index += 1) if (rankAt(index) < rankAt(lowest)) lowest = index;
      if (rankAt(lowest) === NO_RANK) return parts;
      starts.copyWithin(lowest + 1, lowest + 2, parts + 1);
      ranks.copyWithin(lowest + 1, lowest + 2, parts);
      parts -= 1;
      ranks[lowest] = this.#rankOfPair(word, lowest, parts);
      if (lowest > 0) ranks[lowest - 1] = this.#rankOfPair(word, lowest - 1, parts);
    }
  }

  /**
   * Returns the rank of a part merged with the next part, or `NO_RANK` if they are no token. A byte order mark at their
   * start is ignored, as in gpt-tokenizer, with which the gateway counted before: the same text must cost the same.
   */
  #rankOfPair(word: Uint8Array, part: number, parts: number): number {
    if (part + 2 > parts) return NO_RANK;
    const [start, end] = [starts[part] as number, starts[part + 2] as number];
    if (!startsWithMark(word, start, end)) return this.#rankOf(word, start, end);
    return isUtf8(word.subarray(start, end)) ? this.#rankOf(word, start + 3, end) : NO_RANK;
  }

  #rankOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 0 || length > LONGEST_TOKEN) return NO_RANK;
    const table = this.#table;
    const known = this.#bytes;
    const mask = table.length - 1;
    for (let slot = slotOf(bytes, start, end, mask); ; slot = (slot + 1) & mask) {
      const rank = table[slot] as number;
      if (rank === FREE) return NO_RANK;
      const at = this.#starts[rank] as number;
      if ((this.#starts[rank + 1] as number) - at !== length) continue;
      let index = 0;
      while (index < length && known[at + index] === bytes[start + index]) index += 1;
      if (index === length) return rank;
    }
  }
}

/** Hashes the bytes with FNV-1a. */
function slotOf(bytes: Uint8Array, start: number, end: number, mask: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) & mask;
}

function startsWithMark(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}
