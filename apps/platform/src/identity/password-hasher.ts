/** Hashes passwords off the main thread, a few at a time. Throws RATE_LIMITED when too many wait already. */
export interface PasswordHasher {
  /** Does work that will need a hash, unless as many do so already as may wait; a flood is refused before it costs anything. */
  admit<Value>(work: () => Promise<Value>): Promise<Value>;
  hash(password: string): Promise<string>;
  /** Compares; without a stored hash it takes the same time over a dummy and is false. */
  verify(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether the hash was made with weaker parameters than today's. */
  isOutdated(storedHash: string): boolean;
}
