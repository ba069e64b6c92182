/**
 * Bytes that arrived or are to be sent: in memory while they are few, in a spool file when they are many. Whoever holds
 * one disposes of it; `moveTo` hands the file over instead.
 */
export interface StoredBytes {
  readonly byteLength: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** All of it in one buffer of exactly its length. Read from the file once per call. */
  bytes(): Promise<Uint8Array>;
  /** In pieces, for sending on without holding all of it. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Makes it durable (written, synced, renamed) at `path`, on the same file system as the spool folder. */
  moveTo(path: string): Promise<void>;
  dispose(): Promise<void>;
}
