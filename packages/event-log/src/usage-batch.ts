import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Closing records of one process run, as they travel through the event log. */
export interface UsageBatch {
  readonly nodeId: string;
  readonly epoch: number;
  readonly count: number;
  /** The records one behind the other; each says its own length. */
  readonly records: Uint8Array;
}

export type DecodedBatch =
  | { readonly kind: "batch"; readonly batch: UsageBatch }
  | { readonly kind: "unreadable"; readonly reason: string }
  /** For a reader of a later release. */
  | { readonly kind: "newer"; readonly reason: string };

/**
 * The version of the header and of the records behind it, as it is written: one that workers of the release before this
 * read too (decision 36). Since version 2 records may have units other than tokens behind the rest, since 3 searches,
 * since 4 losses of the operator.
 */
export const WRITTEN_SCHEMA_VERSION = 2;
/** What is read: still on its way from gateways of before, up to what the next release will write. */
const OLDEST_SCHEMA_VERSION = 1;
const NEWEST_SCHEMA_VERSION = 4;

// Header: mark, version, length of the node's id, epoch, count, length of the records, checksum, the id. Then the records,
// compressed. The checksum is that of everything behind it and before it: one changed bit would charge another event.
const MARK = 0x54475542;
const AT_VERSION = 4;
const AT_NODE_ID_LENGTH = 6;
const AT_EPOCH = 8;
const AT_COUNT = 12;
const AT_RECORDS_LENGTH = 16;
const AT_CHECKSUM = 20;
const AT_NODE_ID = 24;
// More than a batch can hold; a length beyond it is not memory anyone should ask for.
const MAX_RECORDS_BYTES = 64 * 1024 * 1024;
// Level 1 leaves a tenth of the bytes and takes 0.3 µs an event; higher levels take longer and leave no less.
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The message for a batch. */
export function encodeUsageBatch({ nodeId, epoch, count, records }: UsageBatch): Buffer {
  const id = Buffer.from(nodeId);
  const header = Buffer.alloc(AT_NODE_ID + id.length);
  header.writeUInt32BE(MARK);
  header.writeUInt16LE(WRITTEN_SCHEMA_VERSION, AT_VERSION);
  header.writeUInt16LE(id.length, AT_NODE_ID_LENGTH);
  header.writeUInt32LE(epoch, AT_EPOCH);
  header.writeUInt32LE(count, AT_COUNT);
  header.writeUInt32LE(records.length, AT_RECORDS_LENGTH);
  id.copy(header, AT_NODE_ID);
  const message = Buffer.concat([header, zstdCompressSync(records, COMPRESSION)]);
  message.writeUInt32LE(checksumOf(message), AT_CHECKSUM);
  return message;
}

/** What a message says, or why that cannot be told. Never throws, whatever the bytes are. */
export function decodeUsageBatch(message: Uint8Array): DecodedBatch {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < AT_NODE_ID || bytes.readUInt32BE() !== MARK)
    return unreadable("it is not a batch of usage events");
  const version = bytes.readUInt16LE(AT_VERSION);
  const reason = `its schema version is ${version}`;
  if (version > NEWEST_SCHEMA_VERSION) return { kind: "newer", reason };
  if (version < OLDEST_SCHEMA_VERSION) return unreadable(reason);
  if (bytes.readUInt32LE(AT_CHECKSUM) !== checksumOf(bytes)) return unreadable("it is damaged");
  const recordsLength = bytes.readUInt32LE(AT_RECORDS_LENGTH);
  if (recordsLength > MAX_RECORDS_BYTES) return unreadable(`it declares ${recordsLength} bytes of records`);
  const bodyAt = AT_NODE_ID + bytes.readUInt16LE(AT_NODE_ID_LENGTH);
  const records = decompress(bytes.subarray(bodyAt), recordsLength);
  if (records === null) return unreadable("its records are damaged");
  const batch: UsageBatch = {
    nodeId: bytes.toString("utf8", AT_NODE_ID, bodyAt),
    epoch: bytes.readUInt32LE(AT_EPOCH),
    count: bytes.readUInt32LE(AT_COUNT),
    records,
  };
  return { kind: "batch", batch };
}

/** How many events a message says it has, without unpacking it; 0 when it cannot be told. */
export function countUsageEvents(message: Uint8Array): number {
  if (message.length < AT_NODE_ID) return 0;
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength).readUInt32LE(AT_COUNT);
}

function checksumOf(message: Buffer): number {
  return crc32(message.subarray(AT_NODE_ID), crc32(message.subarray(0, AT_CHECKSUM)));
}

function decompress(body: Buffer, length: number): Buffer | null {
  try {
    const records = zstdDecompressSync(body, { maxOutputLength: Math.max(length, 1) });
    return records.length === length ? records : null;
  } catch {
    return null;
  }
}

const unreadable = (reason: string): DecodedBatch => ({ kind: "unreadable", reason });
