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

/** A file of zeros that is on disk and waits to become a segment. */
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

/** Writes groups into segments, one after the other, and syncs each. Blocks: it belongs on a thread of its own. */
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

  /** How many bytes of records the next group may have. */
  get room(): number {
    return this.#segment === null ? 0 : Math.max(0, this.#segment.byteLength - this.#offset - GROUP_HEADER_BYTES);
  }

  /** Goes on in the file of a reserve, which gets the next number. Its name is on disk before anything is written to it. */
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

  /** Seals the records that lie in `bytes` behind the room for a group's header, writes them and syncs. Throws if that fails. */
  write(bytes: Buffer, view: DataView, byteLength: number): void {
    if (this.#segment === null) throw new Error("No segment is open for writing.");
    const { descriptor, salt } = this.#segment;
    finalizeGroup(bytes, view, byteLength, salt);
    const total = GROUP_HEADER_BYTES + byteLength;
    writeFully(descriptor, bytes, total, this.#offset);
    fdatasyncSync(descriptor);
    this.#offset += total;
  }

  /** Never touches the file again: after a failed sync nobody knows what of it is on disk. */
  abandon(): void {
    const segment = this.#segment;
    this.#segment = null;
    if (segment !== null) closeQuietly(segment.descriptor);
  }

  /** Gives the space back that the segment did not need. */
  end(): void {
    const segment = this.#segment;
    this.#segment = null;
    if (segment === null) return;
    try {
      ftruncateSync(segment.descriptor, this.#offset);
    } catch {
      // The zeros behind the last group do no harm, and everything before them was synced.
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
    // What was synced is safe, and what was not is known to be lost.
  }
}
