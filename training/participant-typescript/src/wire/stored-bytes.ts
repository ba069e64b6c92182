/**
 * Received or outgoing bytes: in memory if small, in a spool file if large. The owner must dispose of the bytes, unless
 * `moveTo` moved the file.
 */
export interface StoredBytes {
  readonly byteLength: number;
  /** SHA-256 of the bytes in lowercase hex. */
  readonly sha256: string;
  /** Returns all bytes in one buffer of the exact length. Reads the file on each call. */
  bytes(): Promise<Uint8Array>;
  /** Yields the bytes in pieces, for sending without loading all of them. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Makes the bytes durable (written, synced, renamed) at `path`, on the same file system as the spool folder. */
  moveTo(path: string): Promise<void>;
  dispose(): Promise<void>;
}
