import { IncompatibleParameters } from "../participant-failure.ts";
import type { ByteSource } from "./byte-source.ts";
import { bytesOf, type PlacedTensor } from "./placed-tensors.ts";
import type { DataType, TensorInfo } from "./tensor-set.ts";

export const NPY_MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59] as const;

/** Maximum header size. For comparison, numpy rejects untrusted headers above 10,000 bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Element types by numpy name. One-byte types have no byte order. */
export const NUMPY_TYPES: ReadonlyMap<string, DataType> = new Map([
  ["<f8", "F64"],
  ["<f4", "F32"],
  ["<f2", "F16"],
  ["<i8", "I64"],
  ["<i4", "I32"],
  ["<i2", "I16"],
  ["|i1", "I8"],
  ["<u8", "U64"],
  ["<u4", "U32"],
  ["<u2", "U16"],
  ["|u1", "U8"],
  ["|b1", "BOOL"],
]);

/** Reads the array from a .npy file, versions 1 to 3. The data length must match the header exactly. */
export function readNpy(bytes: ByteSource, name: string): PlacedTensor {
  const { header, end } = readHeader(bytes);
  const info = parseHeader(header);
  const expected = bytesOf(name, info);
  if (bytes.byteLength - end !== expected) {
    throw refuse(`${bytes.byteLength - end} bytes of data where its header declares ${expected}`);
  }
  return { ...info, bytes, position: end };
}

function readHeader(bytes: ByteSource): { header: string; end: number } {
  const prefix = bytes.read(0, Math.min(12, bytes.byteLength));
  if (prefix.byteLength < 10 || NPY_MAGIC.some((byte, index) => prefix[index] !== byte))
    throw refuse("no numpy header");
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const major = view.getUint8(6);
  if (major < 1 || major > 3 || view.getUint8(7) !== 0)
    throw refuse(`the unknown version ${major}.${view.getUint8(7)}`);
  const start = major === 1 ? 10 : 12;
  if (prefix.byteLength < start) throw refuse("no numpy header");
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > Math.min(MAX_HEADER_BYTES, bytes.byteLength - start)) {
    throw refuse(`a header of ${length} bytes, which exceeds the file or the limit`);
  }
  // The header is Latin-1 up to version 2 and UTF-8 from version 3. Only ASCII is accepted below.
  return { header: Buffer.from(bytes.read(start, start + length)).toString("latin1"), end: start + length };
}

/**
 * Parses the Python literal `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }` and rejects any other text.
 */
function parseHeader(header: string): TensorInfo {
  // Put one space between tokens, so that the patterns below match in only one way and a hostile header can't slow them
  // down.
  const literal = (header.match(/'[^'\\]*'|\w+|[^\s\w]/g) ?? []).join(" ");
  const fields = /^\{ ((?:'\w+' : (?:'[^']*'|True|False|\((?: \d{1,16}| ,)* \)) (?:, |(?=\})))+)\}$/.exec(literal);
  if (fields === null) {
    if (literal.includes("'descr' : [")) throw refuse("records instead of an array of numbers");
    throw refuse("a header that does not describe an array");
  }
  const values = new Map<string, string>();
  for (const [, key = "", value = ""] of (fields[1] ?? "").matchAll(/'(\w+)' : ('[^']*'|True|False|\([^)]*\))/g)) {
    if (values.has(key)) throw refuse(`a duplicate field ${key} in its header`);
    values.set(key, value);
  }
  if (values.size !== 3) throw refuse("a header that does not describe an array");
  const dtype = elementType(values.get("descr") ?? "");
  const shape = parseShape(values.get("shape") ?? "");
  checkOrder(values.get("fortran_order"), shape);
  return { dtype, shape };
}

function elementType(literal: string): DataType {
  const description = literal.slice(1, -1);
  // Byte order is meaningless for one-byte types, but some writers include it.
  const type = NUMPY_TYPES.get(/^[<>=][iub]1$/.test(description) ? `|${description.slice(1)}` : description);
  if (type !== undefined) return type;
  if (/^[|<>=]?O/.test(description)) throw refuse("Python objects, which require pickle; pickles are never loaded");
  if (description.startsWith(">")) throw refuse(`big-endian numbers (${description}); save them as little-endian`);
  throw refuse(`the element type ${JSON.stringify(description.slice(0, 40))}, which is not supported`);
}

function parseShape(literal: string): number[] {
  // A tuple with one element needs a comma, because (3) is a number in Python.
  if (!/^\( (?:|\d+ , |\d+(?: , \d+)+ (?:, )?)\)$/.test(literal)) throw refuse("no shape");
  return (literal.match(/\d+/g) ?? []).map(Number);
}

function checkOrder(literal: string | undefined, shape: readonly number[]): void {
  if (literal !== "True" && literal !== "False") throw refuse("no element order");
  // For one dimension, both orders are the same.
  if (literal === "True" && shape.length > 1) {
    throw refuse("column-major order (Fortran order); save numpy.ascontiguousarray(array) instead");
  }
}

function refuse(what: string): IncompatibleParameters {
  return new IncompatibleParameters(`Not a readable numpy array: it has ${what}.`);
}
