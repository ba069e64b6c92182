import type { ManagedStore } from "./answer-store.ts";

/** Maximum total size of all responses. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Overhead per response in addition to its bytes. */
const OVERHEAD_BYTES = 200;

interface Kept {
  readonly value: string;
  readonly expiresAtMs: number;
}

/**
 * Stores cached responses in the memory of this process. At capacity, the least recently used responses are evicted.
 */
export class MemoryAnswers implements ManagedStore {
  readonly #now: () => number;
  readonly #mostBytes: number;
  /** A map preserves insertion order, and each hit reinserts its entry. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(now: () => number, mostBytes = MAX_BYTES) {
    this.#now = now;
    this.#mostBytes = mostBytes;
  }

  /** Number of bytes in use. */
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
