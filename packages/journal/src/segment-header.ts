import { crc32 } from "node:zlib";

/**
 * Header of a segment. `salt` seeds every checksum in the segment, so that client-supplied bytes can't be read as a
 * record.
 */
export interface SegmentHeader {
  readonly nodeId: string;
  readonly epoch: number;
  readonly createdAtMs: number;
  readonly salt: number;
}

export type ReadHeader =
  | { readonly kind: "header"; readonly header: SegmentHeader }
  /** The segment was prepared but never written. */
  | { readonly kind: "unused" }
  | { readonly kind: "damaged" }
  /** A later release wrote the segment. */
  | { readonly kind: "unknown_version"; readonly version: number };

/** Offset of the first group. */
export const HEADER_BYTES = 1_024;

/** The header is stored twice, in two sectors, because the segment is unreadable without a header. */
const COPY_BYTES = HEADER_BYTES / 2;
const MAGIC = 0x534a4754;
const FORMAT_VERSION = 1;
const FIXED_BYTES = 30;
const MAX_NODE_ID_BYTES = COPY_BYTES - FIXED_BYTES;

/** Encodes the first bytes of a segment. */
export function encodeHeader({ nodeId, epoch, createdAtMs, salt }: SegmentHeader): Buffer {
  const text = Buffer.from(nodeId);
  if (text.length > MAX_NODE_ID_BYTES) throw new Error("The node ID is too long.");
  const copy = Buffer.alloc(COPY_BYTES);
  copy.writeUInt32LE(MAGIC, 0);
  copy.writeUInt32LE(FORMAT_VERSION, 4);
  copy.writeUInt32LE(salt, 12);
  copy.writeUInt32LE(epoch, 16);
  copy.writeDoubleLE(createdAtMs, 20);
  copy.writeUInt16LE(text.length, 28);
  text.copy(copy, FIXED_BYTES);
  copy.writeUInt32LE(checksumOf(copy), 8);
  return Buffer.concat([copy, copy]);
}

/** Reads a segment's header, using the second copy if the first one is damaged. */
export function readHeader(bytes: Buffer): ReadHeader {
  const first = readCopy(bytes.subarray(0, COPY_BYTES));
  if (first.kind === "header") return first;
  const second = readCopy(bytes.subarray(COPY_BYTES, HEADER_BYTES));
  return second.kind === "header" || first.kind === "unused" ? second : first;
}

function readCopy(copy: Buffer): ReadHeader {
  if (copy.every((byte) => byte === 0)) return { kind: "unused" };
  if (copy.length < COPY_BYTES || copy.readUInt32LE(0) !== MAGIC) return { kind: "damaged" };
  if (copy.readUInt32LE(8) !== checksumOf(copy)) return { kind: "damaged" };
  const version = copy.readUInt32LE(4);
  if (version !== FORMAT_VERSION) return { kind: "unknown_version", version };
  return {
    kind: "header",
    header: {
      nodeId: copy.toString("utf8", FIXED_BYTES, FIXED_BYTES + copy.readUInt16LE(28)),
      epoch: copy.readUInt32LE(16),
      createdAtMs: copy.readDoubleLE(20),
      salt: copy.readUInt32LE(12),
    },
  };
}

const checksumOf = (copy: Buffer): number => crc32(copy.subarray(12), crc32(copy.subarray(0, 8)));
