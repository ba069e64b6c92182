/** Hashes passwords off the main thread, a few at a time. Throws RATE_LIMITED when too many wait already. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Compares; without a stored hash it takes the same time over a dummy and is false. */
  verify(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether the hash was made with weaker parameters than today's. */
  isOutdated(storedHash: string): boolean;
}
