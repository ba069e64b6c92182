import { ID_BYTES } from "../record-layout.ts";

const ID_WORDS = ID_BYTES / 4;
const FIRST_CAPACITY = 1_024;
const NONE = -1;
const PRIME = 0x9e3779b1;

/**
 * Open calls, with the segment of their open record. A hash table in typed arrays, because every call is added and
 * removed once: strings and map entries would be most of the garbage of delivery.
 */
export class OpenCalls {
  #capacity = FIRST_CAPACITY;
  /** First entry of each bucket, and the next entry in the same bucket or in the list of free entries. */
  #heads = new Int32Array(FIRST_CAPACITY).fill(NONE);
  #next = new Int32Array(FIRST_CAPACITY);
  #ids = new Int32Array(FIRST_CAPACITY * ID_WORDS);
  #segments = new Float64Array(FIRST_CAPACITY);
  #free = NONE;
  /** Number of entries that were ever used. */
  #used = 0;
  readonly #id = new Int32Array(ID_WORDS);

  /** Adds the call whose ID is at `offset`. Returns the segment that it was open in before; null if it was not open. */
  add(bytes: Buffer, offset: number, segment: number): number | null {
    const hash = this.#read(bytes, offset);
    const known = this.#find(hash);
    if (known !== NONE) {
      const earlier = this.#segments[known] as number;
      this.#segments[known] = segment;
      return earlier;
    }
    const entry = this.#takeEntry();
    const bucket = hash & (this.#capacity - 1);
    this.#ids.set(this.#id, entry * ID_WORDS);
    this.#segments[entry] = segment;
    this.#next[entry] = this.#heads[bucket] as number;
    this.#heads[bucket] = entry;
    return null;
  }

  /** Removes the call whose ID is at `offset`. Returns the segment that it was open in; null if it was not open. */
  remove(bytes: Buffer, offset: number): number | null {
    const hash = this.#read(bytes, offset);
    const entry = this.#find(hash);
    if (entry === NONE) return null;
    const bucket = hash & (this.#capacity - 1);
    const after = this.#next[entry] as number;
    if (this.#heads[bucket] === entry) this.#heads[bucket] = after;
    else {
      let before = this.#heads[bucket] as number;
      while (this.#next[before] !== entry) before = this.#next[before] as number;
      this.#next[before] = after;
    }
    this.#next[entry] = this.#free;
    this.#free = entry;
    return this.#segments[entry] as number;
  }

  /** Reads an ID and returns its hash. */
  #read(bytes: Buffer, offset: number): number {
    const id = this.#id;
    let hash = 0;
    for (let word = 0; word < ID_WORDS; word += 1) {
      const at = offset + word * 4;
      const value =
        (bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24);
      id[word] = value;
      hash = Math.imul(hash ^ value, PRIME);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  /** Returns the entry of the ID that was read last. */
  #find(hash: number): number {
    const [id, ids, next] = [this.#id, this.#ids, this.#next];
    let entry = this.#heads[hash & (this.#capacity - 1)] as number;
    for (; entry !== NONE; entry = next[entry] as number) {
      let word = 0;
      while (word < ID_WORDS && ids[entry * ID_WORDS + word] === id[word]) word += 1;
      if (word === ID_WORDS) break;
    }
    return entry;
  }

  #takeEntry(): number {
    if (this.#free !== NONE) {
      const entry = this.#free;
      this.#free = this.#next[entry] as number;
      return entry;
    }
    if (this.#used === this.#capacity) this.#grow();
    this.#used += 1;
    return this.#used - 1;
  }

  /** Doubles the capacity. All entries are in use at this time. */
  #grow(): void {
    const capacity = this.#capacity * 2;
    const ids = new Int32Array(capacity * ID_WORDS);
    ids.set(this.#ids);
    const segments = new Float64Array(capacity);
    segments.set(this.#segments);
    const heads = new Int32Array(capacity).fill(NONE);
    const next = new Int32Array(capacity);
    for (let entry = 0; entry < this.#capacity; entry += 1) {
      let hash = 0;
      for (let word = 0; word < ID_WORDS; word += 1) {
        hash = Math.imul(hash ^ (ids[entry * ID_WORDS + word] as number), PRIME);
        hash ^= hash >>> 15;
      }
      const bucket = hash & (capacity - 1);
      next[entry] = heads[bucket] as number;
      heads[bucket] = entry;
    }
    this.#capacity = capacity;
    this.#ids = ids;
    this.#segments = segments;
    this.#heads = heads;
    this.#next = next;
  }
}
