import type { ManagedStore } from "./answer-store.ts";

/** What all answers may take up together. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What an answer takes up besides its own bytes. */
const OVERHEAD_BYTES = 200;

interface Kept {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** Answers in the memory of this process. When there is no room, those that nobody asked for the longest go first. */
export class MemoryAnswers implements ManagedStore {
  readonly #now: () => number;
  readonly #mostBytes: number;
  /** The order of a map is that of insertion, and what is asked for is inserted anew. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(now: () => number, mostBytes = MAX_BYTES) {
    this.#now = now;
    this.#mostBytes = mostBytes;
  }

  /** How much is taken up. */
  get bytes(): number {
    return this.#bytes;
  }

  async get(keys: readonly string[]): Promise<readonly (string | null)[]> {
    return keys.map((key) => this.#find(key));
  }

  put(key: string, value: string, ttlMs: number): void {
    this.#remove(key);
    const size = sizeOf(value);
    if (size > this.#mostBytes) return;
    this.#kept.set(key, { value, expiresAtMs: this.#now() + ttlMs });
    this.#bytes += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#remove(oldest);
    }
  }

  async ping(): Promise<void> {}

  async delete(keys: readonly string[]): Promise<number> {
    return keys.filter((key) => this.#remove(key)).length;
  }

  async clear(): Promise<void> {
    this.#kept.clear();
    this.#bytes = 0;
  }

  close(): void {
    void this.clear();
  }

  #find(key: string): string | null {
    const found = this.#kept.get(key);
    if (found === undefined) return null;
    if (found.expiresAtMs <= this.#now()) {
      this.#remove(key);
      return null;
    }
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.value;
  }

  #remove(key: string): boolean {
    const found = this.#kept.get(key);
    if (found === undefined) return false;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(found.value);
    return true;
  }
}

function sizeOf(value: string): number {
  return value.length + OVERHEAD_BYTES;
}
