/** Max size of an object, in bytes. S3 allows 10,000 parts, and the adapter sends parts of 8 MiB. */
export const MAX_OBJECT_BYTES = 64 * 1024 ** 3;

/** An object as the storage lists it. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
}

/** An object that was written durably. */
export interface WrittenObject extends StoredObject {
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
}

/** A range of bytes. The end is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface WriteOptions {
  /** Max size of this object, in bytes. */
  readonly maxBytes?: number;
}

export type ObjectContent = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Stores objects that never change. Contents are streamed: no method keeps more than a few megabytes of an object in
 * memory. Every method throws a `StorageError`, and passes on errors of the content that it reads.
 */
export interface ObjectStorage {
  /** Location of the storage, for messages to operators. Contains no credentials. */
  readonly location: string;
  /**
   * Writes an object once. It exists completely and durably when the promise resolves, and not at all if it rejects,
   * unless the kind of the error is `unavailable`. Fails with `exists` if there is an object with this key.
   */
  write(key: string, content: ObjectContent, options?: WriteOptions): Promise<WrittenObject>;
  /** Reads an object, or exactly the bytes of a range. Fails with `truncated` if the object is shorter. */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Returns the object; null if there is none. */
  find(key: string): Promise<StoredObject | null>;
  /** Lists all objects below a folder (`a/b/`, or an empty text for all), ordered by key. */
  list(folder: string): AsyncIterable<StoredObject>;
  /** Deletes an object. Does nothing if there is none. */
  delete(key: string): Promise<void>;
  /** Deletes what processes that died left of their writes before a time. Returns the number of such writes. */
  deleteAbandonedWrites(before: Date): Promise<number>;
  /** Closes idle connections. */
  close(): void;
}

/** Reason for a failure of the storage. */
export type StorageProblem =
  /** There is already an object with this key. */
  | "exists"
  /** There is no object with this key. */
  | "missing"
  /** The content is larger than its limit. */
  | "too_large"
  /** The object is shorter than the requested range. */
  | "truncated"
  /** The storage has no space left. */
  | "full"
  /** The storage refuses the credentials or the permission. */
  | "denied"
  /** The storage does not exist or does not respond. It may be available later. */
  | "unavailable";

/** A failure of the storage. The message names the location and the key, and never a credential. */
export class StorageError extends Error {
  readonly kind: StorageProblem;

  constructor(kind: StorageProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StorageError";
    this.kind = kind;
  }
}
