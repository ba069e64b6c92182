import { randomBytes } from "node:crypto";
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { finalizeGroup, GROUP_HEADER_BYTES } from "@tollgate/journal/group.ts";
import { segmentPath } from "@tollgate/journal/journal-directory.ts";
import { encodeHeader, HEADER_BYTES } from "@tollgate/journal/segment-header.ts";

/** A zero-filled file on disk that will become a segment. */
export interface Reserve {
  readonly file: string;
  readonly byteLength: number;
}

export interface SegmentOwner {
  readonly directory: string;
  readonly nodeId: string;
  readonly epoch: number;
}

interface OpenSegment {
  readonly descriptor: number;
  readonly number: number;
  readonly byteLength: number;
  readonly salt: number;
}

/** Writes groups into consecutive segments and syncs each group. The writer blocks, so it needs a separate thread. */
export class SegmentWriter {
  readonly #owner: SegmentOwner;
  readonly #directory: number;
  #segment: OpenSegment | null = null;
  #number: number;
  #offset = 0;

  constructor(owner: SegmentOwner, lastNumber: number) {
    this.#owner = owner;
    this.#directory = openSync(owner.directory, "r");
    this.#number = lastNumber;
  }

  get number(): number {
    return this.#number;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Maximum number of record bytes in the next group. */
  get room(): number {
    return this.#segment === null ? 0 : Math.max(0, this.#segment.byteLength - this.#offset - GROUP_HEADER_BYTES);
  }

  /** Continues in a reserve's file, which gets the next number. The new name is on disk before any data is written. */
  begin(reserve: Reserve): void {
    this.end();
    const { directory, nodeId, epoch } = this.#owner;
    const number = this.#number + 1;
    const path = segmentPath(directory, number);
    renameSync(join(directory, reserve.file), path);
    fsyncSync(this.#directory);
    const descriptor = openSync(path, "r+");
    const salt = randomBytes(4).readUInt32LE();
    this.#segment = { descriptor, number, byteLength: fstatSync(descriptor).size, salt };
    this.#number = number;
    this.#offset = HEADER_BYTES;
    writeFully(descriptor, encodeHeader({ nodeId, epoch, createdAtMs: Date.now(), salt }), HEADER_BYTES, 0);
  }

  /**
   * Finalizes the records in `bytes`, which follow the space for a group header, then writes and syncs them. Throws if
   * the write or the sync fails.
   */
  write(bytes: Buffer, view: DataView, byteLength: number): void {
    if (this.#segment === null) throw new Error("No segment is open for writing.");
    const { descriptor, salt } = this.#segment;
    finalizeGroup(bytes, view, byteLength, salt);
    const total = GROUP_HEADER_BYTES + byteLength;
    writeFully(descriptor, bytes, total, this.#offset);
    fdatasyncSync(descriptor);
    this.#offset += total;
  }

  /** Closes the file permanently. After a failed sync, it is unknown which of the file's data is on disk. */
  abandon(): void {
    const segment = this.#segment;
    this.#segment = null;
    if (segment !== null) closeQuietly(segment.descriptor);
  }

  /** Truncates the segment to its used size. */
  end(): void {
    const segment = this.#segment;
    this.#segment = null;
    if (segment === null) return;
    try {
      ftruncateSync(segment.descriptor, this.#offset);
    } catch {
      // The zeros after the last group are harmless, and everything before them was synced.
    }
    closeQuietly(segment.descriptor);
  }
}

function writeFully(descriptor: number, bytes: Buffer, byteLength: number, position: number): void {
  let written = 0;
  while (written < byteLength)
    written += writeSync(descriptor, bytes, written, byteLength - written, position + written);
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Synced data is safe, and unsynced data has already been reported as lost.
  }
}
