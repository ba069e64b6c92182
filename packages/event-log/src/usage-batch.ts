import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Closing records of one process epoch, in event log format. */
interface UsageBatch {
  readonly nodeId: string;
  readonly epoch: number;
  readonly count: number;
  /** Concatenated records, each of which contains its own length. */
  readonly records: Uint8Array;
}

type DecodedBatch =
  | { readonly kind: "batch"; readonly batch: UsageBatch }
  | { readonly kind: "unreadable"; readonly reason: string }
  /** The message can be read only by a later release. */
  | { readonly kind: "newer"; readonly reason: string };

/**
 * Schema version of the written header and records. Workers of the previous release must be able to read this version
 * (decision 36). Version 2 adds units other than tokens, version 3 searches, version 4 operator losses,
 * and version 5 fees and one-hour cache writes.
 */
const WRITTEN_SCHEMA_VERSION = 2;
/** Version of messages in flight from earlier gateways. */
const OLDEST_SCHEMA_VERSION = 1;

// Header: magic number, version, node ID length, epoch, count, records length, checksum, node ID. The compressed
// records follow. The checksum covers all other bytes, because a single flipped bit could charge a different event.
const MARK = 0x54475542;
const AT_VERSION = 4;
const AT_NODE_ID_LENGTH = 6;
const AT_EPOCH = 8;
const AT_COUNT = 12;
const AT_RECORDS_LENGTH = 16;
const AT_CHECKSUM = 20;
const AT_NODE_ID = 24;
// More than any batch contains. A larger length is invalid and must not be allocated.
const MAX_RECORDS_BYTES = 64 * 1024 * 1024;
// Level 1 compresses to a tenth of the size at 0.3 µs per event. Higher levels are slower and don't compress better.
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Encodes a batch as a message. */
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

/**
 * Decodes a message, or returns why it can't be decoded. Never throws, regardless of the bytes. The newest version is
 * the newest version of records that this release reads, which the next release will write.
 */
export function decodeUsageBatch(message: Uint8Array, newestVersion: number): DecodedBatch {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < AT_NODE_ID || bytes.readUInt32BE() !== MARK)
    return unreadable("it is not a batch of usage events");
  const version = bytes.readUInt16LE(AT_VERSION);
  const reason = `its schema version is ${version}`;
  if (version > newestVersion) return { kind: "newer", reason };
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

/** Returns the event count in a message's header without decompressing it, or 0 if the header is incomplete. */
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
