import { IncompatibleParameters } from "../participant-failure.ts";
import type { ByteSource } from "./byte-source.ts";
import { bytesOf, MAX_TENSORS, type PlacedTensor, quote } from "./placed-tensors.ts";
import { scanJsonKeys } from "./scan-json-keys.ts";
import { BYTES_PER_ELEMENT, type DataType } from "./tensor-set.ts";

/** Maximum header size. A header of this size describes more tensors than any model has. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/**
 * Reads the tensors of a safetensors file in data order. The tensors must cover the bytes after the header exactly: no
 * overlap, no gap, no trailing bytes.
 */
export function readSafetensors(bytes: ByteSource): Map<string, PlacedTensor> {
  const { text, end } = readHeader(bytes);
  const entries = parseHeader(text).map(([name, value]) => checkEntry(name, value));
  const placed = new Map<string, PlacedTensor>();
  let expected = 0;
  for (const { name, dtype, shape, from, to } of entries.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    if (from !== expected) {
      throw refuse(`${from < expected ? "overlapping data" : "a gap in the data"} at tensor ${quote(name)}`);
    }
    if (bytesOf(name, { dtype, shape }) !== to - from) {
      throw refuse(`mismatched shape and data size at tensor ${quote(name)}`);
    }
    expected = to;
    placed.set(name, { dtype, shape, bytes, position: end + from });
  }
  if (end + expected !== bytes.byteLength) {
    throw refuse(`${bytes.byteLength - end} bytes of data where its header declares ${expected}`);
  }
  return placed;
}

function readHeader(bytes: ByteSource): { text: string; end: number } {
  if (bytes.byteLength < 8) throw refuse("no header");
  const prefix = bytes.read(0, 8);
  const length = new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(Math.min(MAX_HEADER_BYTES, bytes.byteLength - 8))) {
    throw refuse(`a header of ${length} bytes, which exceeds the file or the limit`);
  }
  const end = 8 + Number(length);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.read(8, end)), end };
  } catch (cause) {
    throw refuse("a header that is not UTF-8", cause);
  }
}

function parseHeader(text: string): [string, unknown][] {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch (cause) {
    throw refuse("a header that is not JSON", cause);
  }
  if (!text.startsWith("{") || !isObject(header)) throw refuse("a header that is not a JSON object");
  const fields = header;
  const { keys, duplicate } = scanJsonKeys(text);
  if (duplicate !== undefined) throw refuse(`a duplicate name ${quote(duplicate)} in its header`);
  const metadata = header.__metadata__ ?? {};
  if (!isObject(metadata) || Object.values(metadata).some((value) => typeof value !== "string")) {
    throw refuse("metadata values that are not strings");
  }
  const names = keys.filter((name) => name !== "__metadata__");
  if (names.length > MAX_TENSORS) throw refuse(`more than ${MAX_TENSORS} tensors`);
  return names.map((name) => [name, fields[name]]);
}

interface Entry {
  readonly name: string;
  readonly dtype: DataType;
  readonly shape: readonly number[];
  readonly from: number;
  readonly to: number;
}

function checkEntry(name: string, value: unknown): Entry {
  if (!isObject(value)) throw refuse(`no description of tensor ${quote(name)}`);
  if (!name.isWellFormed()) throw refuse("a name that is not Unicode text");
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(BYTES_PER_ELEMENT, dtype)) {
    throw refuse(`the element type ${quote(String(dtype))} at tensor ${quote(name)}, which is not supported`);
  }
  if (!isSizes(shape)) throw refuse(`no shape at tensor ${quote(name)}`);
  if (!isSizes(offsets) || offsets.length !== 2) throw refuse(`no data offsets at tensor ${quote(name)}`);
  const [from = 0, to = 0] = offsets;
  if (to < from) throw refuse(`reversed data offsets at tensor ${quote(name)}`);
  return { name, dtype: dtype as DataType, shape, from, to };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0 && !Object.is(size, -0));
}

function refuse(what: string, cause?: unknown): IncompatibleParameters {
  const failure = new IncompatibleParameters(`Not a valid safetensors file: it has ${what}.`);
  failure.cause = cause;
  return failure;
}
