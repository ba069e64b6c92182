import { crc32 } from "node:zlib";
import { IncompatibleParameters } from "../participant-failure.ts";
import type { FileLayout, PlacedBytes } from "./file-layout.ts";
import { bytesOf, quote } from "./placed-tensors.ts";
import type { TensorInfo } from "./tensor-set.ts";
import { npyHeader } from "./write-npy.ts";

const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
const VERSION = 20;
const UTF8_NAME = 0x0800;
/** Earliest date that zip supports. A fixed date makes equal tensors produce equal bytes. */
const DATE = 0x21;
const MAX_BYTES = 0xffff_fffe;
const MAX_FILES = 0xfffe;

interface ArchivedArray {
  readonly name: string;
  readonly fileName: Buffer;
  readonly header: Buffer;
  /** Position of the local file header. */
  readonly position: number;
  /** Size of the array header and data. */
  readonly bytes: number;
}

/** Lays out the arrays as stored files, one after another. Parts that need checksums are written last. */
export function layOutNpz(tensors: ReadonlyMap<string, TensorInfo>): FileLayout {
  const arrays: ArchivedArray[] = [];
  let end = 0;
  for (const [name, info] of tensors) {
    const fileName = Buffer.from(`${name}.npy`);
    if (fileName.byteLength > 0xffff) throw new IncompatibleParameters(`The name ${quote(name)} is too long for npz`);
    const header = npyHeader(name, info);
    const bytes = header.byteLength + bytesOf(name, info);
    arrays.push({ name, fileName, header, position: end, bytes });
    end += LOCAL_BYTES + fileName.byteLength + bytes;
  }
  const directoryBytes = arrays.reduce((sum, { fileName }) => sum + ENTRY_BYTES + fileName.byteLength, 0);
  const byteLength = end + directoryBytes + END_BYTES;
  if (byteLength > MAX_BYTES || arrays.length > MAX_FILES) {
    throw new IncompatibleParameters(
      `${byteLength} bytes in ${arrays.length} arrays are too large for npz; use safetensors`,
    );
  }
  return {
    byteLength,
    fixed: arrays.map((array) => ({ position: arrayPosition(array), bytes: array.header })),
    positions: new Map(arrays.map((array) => [array.name, arrayPosition(array) + array.header.byteLength])),
    checksums: {
      seeds: new Map(arrays.map(({ name, header }) => [name, crc32(header)])),
      finish: (sums) => finishArchive(arrays, end, sums),
    },
  };
}

function finishArchive(
  arrays: readonly ArchivedArray[],
  end: number,
  sums: ReadonlyMap<string, number>,
): PlacedBytes[] {
  const placed: PlacedBytes[] = [];
  const directory: Buffer[] = [];
  for (const array of arrays) {
    const fields = commonFields(array, sums.get(array.name) ?? 0);
    placed.push({ position: array.position, bytes: localHeader(fields, array) });
    directory.push(directoryEntry(fields, array));
  }
  const entries = Buffer.concat(directory);
  const tail = Buffer.concat([entries, endRecord(arrays.length, entries.byteLength, end)]);
  return [...placed, { position: end, bytes: tail }];
}

/** The 26 bytes that local headers and directory entries share. */
function commonFields({ fileName, bytes }: ArchivedArray, sum: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(fileName.some((byte) => byte > 0x7f) ? UTF8_NAME : 0, 2);
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(sum, 10);
  fields.writeUInt32LE(bytes, 14);
  fields.writeUInt32LE(bytes, 18);
  fields.writeUInt16LE(fileName.byteLength, 22);
  return fields;
}

function localHeader(fields: Buffer, { fileName }: ArchivedArray): Buffer {
  return Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, fileName]);
}

function directoryEntry(fields: Buffer, { fileName, position }: ArchivedArray): Buffer {
  const madeBy = Buffer.from([VERSION, 0]);
  // Comment length, disk number, and attributes, all zero.
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(position, 10);
  return Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), madeBy, fields, rest, fileName]);
}

function endRecord(count: number, directoryBytes: number, directoryStart: number): Buffer {
  const record = Buffer.alloc(END_BYTES);
  record.write("PK\x05\x06", "latin1");
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(directoryStart, 16);
  return record;
}

function arrayPosition({ position, fileName }: ArchivedArray): number {
  return position + LOCAL_BYTES + fileName.byteLength;
}
