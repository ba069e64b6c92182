/** Where answers are kept. Nothing here throws or takes long: what cannot be reached holds nothing. */
export interface AnswerStore {
  /** What is kept under each key, in order; null where nothing is. */
  get(keys: readonly string[]): Promise<readonly (string | null)[]>;
  /** Keeps a string of bytes for a while. */
  put(key: string, value: string, ttlMs: number): void;
  close(): void;
}

/** What an operator does with a store; here a failure is told. */
export interface ManagedStore extends AnswerStore {
  ping(): Promise<void>;
  /** Forgets these and tells how many there were. */
  delete(keys: readonly string[]): Promise<number>;
  /** Forgets everything. */
  clear(): Promise<void>;
}
