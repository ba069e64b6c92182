import { crc32, inflateRawSync } from "node:zlib";
import { IncompatibleParameters } from "../participant-failure.ts";
import { type ByteSource, memorySource } from "./byte-source.ts";
import { MAX_TENSORS, type PlacedTensor, quote } from "./placed-tensors.ts";
import { readNpy } from "./read-npy.ts";
import { readZipDirectory, type ZipEntry } from "./zip-directory.ts";

/** Maximum total size of inflated arrays, because a few kilobytes can inflate to gigabytes of zeros. */
const MAX_INFLATED_BYTES = 1024 * 1024 * 1024;
const CHECK_BYTES = 1024 * 1024;

/** Reads the arrays of a .npz archive, stored or deflated, in directory order. */
export function readNpz(archive: ByteSource): Map<string, PlacedTensor> {
  const entries = readZipDirectory(archive);
  if (entries.length > MAX_TENSORS) throw new IncompatibleParameters(`More than ${MAX_TENSORS} arrays in one archive`);
  const inflated = entries.reduce((sum, entry) => sum + (entry.method === "deflated" ? entry.bytes : 0), 0);
  if (inflated > MAX_INFLATED_BYTES) {
    throw new IncompatibleParameters(
      `The arrays of this archive inflate to ${inflated} bytes, more than ${MAX_INFLATED_BYTES}; store them uncompressed`,
    );
  }
  const inflate = keepLast((entry: ZipEntry) => inflateEntry(archive, entry));
  const tensors = new Map<string, PlacedTensor>();
  for (const entry of entries) {
    const name = arrayName(entry.name);
    if (tensors.has(name)) throw new IncompatibleParameters(`The archive contains two arrays named ${quote(name)}`);
    const bytes = entry.method === "stored" ? storedSource(archive, entry) : inflatedSource(entry, inflate);
    tensors.set(name, readNpy(bytes, name));
  }
  return tensors;
}

function arrayName(fileName: string): string {
  if (fileName.endsWith(".npy")) return fileName.slice(0, -".npy".length);
  const hint = fileName.endsWith(".pkl") ? " It contains a pickle, which is never loaded; use safetensors." : "";
  throw new IncompatibleParameters(`The archive's file ${quote(fileName)} is not a numpy array.${hint}`);
}

function storedSource(archive: ByteSource, entry: ZipEntry): ByteSource {
  let sum = 0;
  const scratch = new Uint8Array(Math.min(CHECK_BYTES, entry.bytes));
  for (let from = 0; from < entry.bytes; from += CHECK_BYTES) {
    const to = Math.min(from + CHECK_BYTES, entry.bytes);
    sum = crc32(archive.read(entry.position + from, entry.position + to, scratch), sum);
  }
  checkSum(entry, sum);
  return {
    byteLength: entry.bytes,
    read: (from, to, into) => archive.read(entry.position + from, entry.position + to, into),
    close: () => {},
  };
}

/** Creates a source that inflates its entry on demand, so that only one array is in memory at a time. */
function inflatedSource(entry: ZipEntry, inflate: (entry: ZipEntry) => Uint8Array): ByteSource {
  return {
    byteLength: entry.bytes,
    read: (from, to) => memorySource(inflate(entry)).read(from, to),
    close: () => {},
  };
}

function inflateEntry(archive: ByteSource, entry: ZipEntry): Uint8Array {
  const compressed = archive.read(entry.position, entry.position + entry.compressedBytes);
  let bytes: Uint8Array;
  try {
    // A limit of zero would mean no limit.
    bytes = inflateRawSync(compressed, { maxOutputLength: Math.max(1, entry.bytes) });
  } catch (cause) {
    const failure = new IncompatibleParameters(
      `The archive's file ${quote(entry.name)} does not decompress to its declared size`,
    );
    failure.cause = cause;
    throw failure;
  }
  if (bytes.byteLength !== entry.bytes) {
    throw new IncompatibleParameters(
      `The archive's file ${quote(entry.name)} does not decompress to its declared size`,
    );
  }
  checkSum(entry, crc32(bytes));
  return bytes;
}

function checkSum(entry: ZipEntry, sum: number): void {
  if (sum !== entry.crc32) throw new IncompatibleParameters(`The archive's file ${quote(entry.name)} is damaged`);
}

function keepLast<K, V>(make: (key: K) => V): (key: K) => V {
  let last: { key: K; value: V } | undefined;
  return (key) => {
    if (last?.key !== key) {
      // Release the old value before creating the new one, so that memory never holds both.
      last = undefined;
      last = { key, value: make(key) };
    }
    return last.value;
  };
}
