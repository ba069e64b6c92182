import { crc32 } from "node:zlib";
import { AT_CHECKSUM, AT_LENGTH, AT_WORD, MAX_RECORD_BYTES, RECORD_MARK } from "./record-layout.ts";

/** A group is the unit of one sync: a header, followed by contiguous records. */
interface GroupHeader {
  readonly byteLength: number;
  readonly recordCount: number;
  readonly crc: number;
}

export const GROUP_HEADER_BYTES = 24;

const MAGIC = 0x50524754;
const SMALLEST_RECORD_BYTES = 64;

/**
 * Finalizes the records after the header space as a group: adds a checksum to each record and to the group. Can be
 * repeated for another segment. The group takes `GROUP_HEADER_BYTES + byteLength` bytes.
 */
export function finalizeGroup(bytes: Buffer, view: DataView, byteLength: number, salt: number): void {
  let recordCount = 0;
  for (let offset = GROUP_HEADER_BYTES; offset < GROUP_HEADER_BYTES + byteLength; recordCount += 1) {
    const length = view.getUint32(offset + AT_LENGTH, true);
    view.setUint32(offset + AT_CHECKSUM, checksumRecord(view, offset, length, salt), true);
    offset += length;
  }
  const crc = crc32(bytes.subarray(GROUP_HEADER_BYTES, GROUP_HEADER_BYTES + byteLength), salt);
  view.setUint32(0, (MAGIC ^ salt) >>> 0, true);
  view.setUint32(4, byteLength, true);
  view.setUint32(8, recordCount, true);
  view.setUint32(12, crc, true);
  view.setUint32(16, checksumHeader(view, 0, salt), true);
  view.setUint32(20, 0, true);
}

/** Reads the group header at `offset`; null if it is missing or damaged. */
export function readGroupHeader(view: DataView, offset: number, salt: number): GroupHeader | null {
  if (offset + GROUP_HEADER_BYTES > view.byteLength) return null;
  if (view.getUint32(offset, true) !== (MAGIC ^ salt) >>> 0) return null;
  if (view.getUint32(offset + 16, true) !== checksumHeader(view, offset, salt)) return null;
  if (view.getUint32(offset + 20, true) !== 0) return null;
  return {
    byteLength: view.getUint32(offset + 4, true),
    recordCount: view.getUint32(offset + 8, true),
    crc: view.getUint32(offset + 12, true),
  };
}

/** Reports whether all records of the group are intact. */
export function isGroupWhole(bytes: Buffer, offset: number, header: GroupHeader, salt: number): boolean {
  const start = offset + GROUP_HEADER_BYTES;
  const end = start + header.byteLength;
  return end <= bytes.length && crc32(bytes.subarray(start, end), salt) === header.crc;
}

/** Returns the length of an undamaged record at `offset` that ends by `limit`, or 0. */
export function soundRecordLength(view: DataView, offset: number, limit: number, salt: number): number {
  const length = plausibleRecordLength(view, offset, limit);
  if (length === 0) return 0;
  return checksumRecord(view, offset, length, salt) === view.getUint32(offset + AT_CHECKSUM, true) ? length : 0;
}

/** Returns the stated length of a possible record, or 0. */
export function plausibleRecordLength(view: DataView, offset: number, limit: number): number {
  if (offset + SMALLEST_RECORD_BYTES > limit) return 0;
  if (view.getUint32(offset + AT_WORD, true) >>> 16 !== RECORD_MARK) return 0;
  const length = view.getUint32(offset + AT_LENGTH, true);
  const isPlausible =
    length >= SMALLEST_RECORD_BYTES && length <= MAX_RECORD_BYTES && length % 8 === 0 && offset + length <= limit;
  return isPlausible ? length : 0;
}

const PRIME_A = 0x9e3779b1;
const PRIME_B = 0x85ebca6b;

/**
 * Computes the checksum over every word except the checksum itself. Uses two lanes, so that the multiplications run in
 * parallel.
 */
function checksumRecord(view: DataView, offset: number, length: number, salt: number): number {
  let a = mix(salt ^ view.getInt32(offset, true), PRIME_A);
  let b = mix(salt ^ view.getInt32(offset + AT_LENGTH, true), PRIME_B);
  b = mix(b ^ view.getInt32(offset + AT_CHECKSUM + 4, true), PRIME_B);
  for (let at = offset + 16; at < offset + length; at += 8) {
    a = mix(a ^ view.getInt32(at, true), PRIME_A);
    b = mix(b ^ view.getInt32(at + 4, true), PRIME_B);
  }
  return mix(a ^ ((b << 13) | (b >>> 19)), PRIME_B) >>> 0;
}

function checksumHeader(view: DataView, offset: number, salt: number): number {
  let sum = salt | 0;
  for (let at = offset; at < offset + 16; at += 4) sum = mix(sum ^ view.getInt32(at, true), PRIME_A);
  return sum >>> 0;
}

/** This step is bijective for a given word, so changing one word always changes the checksum. */
function mix(value: number, prime: number): number {
  const product = Math.imul(value, prime);
  return product ^ (product >>> 15);
}
