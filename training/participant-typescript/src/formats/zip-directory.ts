import { IncompatibleParameters } from "../participant-failure.ts";
import type { ByteSource } from "./byte-source.ts";

const END_SIGNATURE = 0x0605_4b50;
const ENTRY_SIGNATURE = 0x0201_4b50;
const LOCAL_SIGNATURE = 0x0403_4b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** One file in an archive, as described by the central directory. */
export interface ZipEntry {
  readonly name: string;
  readonly method: "stored" | "deflated";
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Start position of the file's data. */
  readonly position: number;
}

/**
 * Reads the directory of a zip archive below 4 GiB. The central directory is authoritative. Local headers only give the
 * data position and must name the same file. Rejects overlapping files, encryption, and zip64.
 */
export function readZipDirectory(archive: ByteSource): ZipEntry[] {
  const { count, start, end } = findDirectory(archive);
  const directory = archive.read(start, end);
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  const entries: ZipEntry[] = [];
  let cursor = 0;
  for (let index = 0; index < count; index++) {
    if (cursor + ENTRY_BYTES > view.byteLength || view.getUint32(cursor, true) !== ENTRY_SIGNATURE) {
      throw refuse("a directory that is shorter than declared");
    }
    const lengths = [28, 30, 32].map((field) => view.getUint16(cursor + field, true));
    const next = cursor + ENTRY_BYTES + lengths.reduce((sum, length) => sum + length, 0);
    if (next > view.byteLength) throw refuse("a directory that is shorter than declared");
    entries.push(readEntry(archive, view, cursor, start));
    cursor = next;
  }
  if (cursor !== view.byteLength) throw refuse("a directory that is longer than declared");
  checkApart(entries);
  return entries;
}

function findDirectory(archive: ByteSource): { count: number; start: number; end: number } {
  const tailStart = Math.max(0, archive.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  const tail = archive.read(tailStart, archive.byteLength);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) !== tail.byteLength) continue;
    const count = view.getUint16(at + 10, true);
    const bytes = view.getUint32(at + 12, true);
    const start = view.getUint32(at + 16, true);
    if (count === 0xffff || bytes === 0xffff_ffff || start === 0xffff_ffff)
      throw refuse("the zip64 form; use safetensors");
    if (view.getUint16(at + 4, true) !== 0 || view.getUint16(at + 8, true) !== count) throw refuse("several volumes");
    if (start + bytes !== tailStart + at || bytes > MAX_DIRECTORY_BYTES)
      throw refuse("no directory at the declared position");
    return { count, start, end: start + bytes };
  }
  throw refuse("no directory");
}

function readEntry(archive: ByteSource, view: DataView, cursor: number, directoryStart: number): ZipEntry {
  const flags = view.getUint16(cursor + 8, true);
  const method = view.getUint16(cursor + 10, true);
  const nameBytes = new Uint8Array(
    view.buffer,
    view.byteOffset + cursor + ENTRY_BYTES,
    view.getUint16(cursor + 28, true),
  );
  const compressedBytes = view.getUint32(cursor + 20, true);
  const bytes = view.getUint32(cursor + 24, true);
  const local = view.getUint32(cursor + 42, true);
  if (flags & ENCRYPTED) throw refuse("encrypted files");
  if (method !== STORED && method !== DEFLATED) throw refuse("files with unsupported compression");
  if ([compressedBytes, bytes, local].includes(0xffff_ffff)) throw refuse("the zip64 form; use safetensors");
  if (method === STORED && compressedBytes !== bytes) throw refuse("a stored file with two sizes");
  const position = dataPosition(archive, local, nameBytes, directoryStart);
  if (position + compressedBytes > directoryStart) throw refuse("a file that overlaps the directory");
  return {
    name: decodeName(nameBytes),
    method: method === STORED ? "stored" : "deflated",
    crc32: view.getUint32(cursor + 16, true),
    compressedBytes,
    bytes,
    position,
  };
}

function dataPosition(archive: ByteSource, local: number, name: Uint8Array, directoryStart: number): number {
  if (local + LOCAL_BYTES + name.byteLength > directoryStart) throw refuse("a missing file");
  const header = archive.read(local, local + LOCAL_BYTES + name.byteLength);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const same = Buffer.compare(header.subarray(LOCAL_BYTES), name) === 0;
  if (view.getUint32(0, true) !== LOCAL_SIGNATURE || view.getUint16(26, true) !== name.byteLength || !same) {
    throw refuse("a file under two names");
  }
  return local + LOCAL_BYTES + name.byteLength + view.getUint16(28, true);
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse("a name that is not UTF-8");
  }
}

/** Throws on overlapping files, because they would let a small archive inflate to terabytes. */
function checkApart(entries: readonly ZipEntry[]): void {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.position - b.position)) {
    if (entry.position < end) throw refuse("overlapping files");
    end = entry.position + entry.compressedBytes;
  }
}

function refuse(what: string): IncompatibleParameters {
  return new IncompatibleParameters(`Not a readable archive of numpy arrays: it has ${what}.`);
}
