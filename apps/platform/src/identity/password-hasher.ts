/** Hashes passwords off the main thread, a few at a time. Throws RATE_LIMITED if too many requests are queued. */
export interface PasswordHasher {
  /** Runs work that needs a hash. If the queue is full, throws before the work starts. */
  admit<Value>(work: () => Promise<Value>): Promise<Value>;
  hash(password: string): Promise<string>;
  /**
   * Verifies a password. Without a stored hash, verifies a dummy hash, which takes the same time, and returns false.
   */
  verify(storedHash: string | null, password: string): Promise<boolean>;
  /** Reports whether the hash uses weaker parameters than the current ones. */
  isOutdated(storedHash: string): boolean;
}
