/** Stores cached responses. No method throws or blocks for long. An unreachable store behaves like an empty one. */
export interface AnswerStore {
  /** Returns the value of each key, in order; null for misses. */
  get(keys: readonly string[]): Promise<readonly (string | null)[]>;
  /** Stores a byte string for the given time. */
  put(key: string, value: string, ttlMs: number): void;
  close(): void;
}

/** Management operations of a store. Unlike lookups and writes of cached responses, they report failures. */
export interface ManagedStore extends AnswerStore {
  ping(): Promise<void>;
  /** Deletes these keys and returns how many existed. */
  delete(keys: readonly string[]): Promise<number>;
  /** Deletes all cached responses. */
  clear(): Promise<void>;
}
