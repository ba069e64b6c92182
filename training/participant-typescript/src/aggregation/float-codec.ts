import { BYTES_PER_ELEMENT, type DataType } from "../formats/tensor-set.ts";

/** Element types that are averaged. All other types are counters and flags. */
export type FloatType = "F64" | "F32" | "F16" | "BF16";

/** Numbers as stored, or widened if JavaScript has no matching typed array. */
export type Floats = Float64Array | Float32Array | Float16Array;

export function isFloatType(dtype: DataType): dtype is FloatType {
  return dtype === "F64" || dtype === "F32" || dtype === "F16" || dtype === "BF16";
}

/** Decodes these bytes. Returns a view if the alignment allows it, so the result may change with the bytes. */
export function decodeFloats(bytes: Uint8Array, dtype: FloatType): Floats {
  const size = BYTES_PER_ELEMENT[dtype];
  // Don't use `slice`, which returns a view for a Buffer.
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  const length = aligned.byteLength / size;
  if (dtype === "F32") return new Float32Array(aligned.buffer, aligned.byteOffset, length);
  if (dtype === "F64") return new Float64Array(aligned.buffer, aligned.byteOffset, length);
  if (dtype === "F16") return new Float16Array(aligned.buffer, aligned.byteOffset, length);
  return widenBrainFloats(new Uint16Array(aligned.buffer, aligned.byteOffset, length));
}

/**
 * Encodes the values in the given type, each rounded once to nearest, ties to even (BF16: through F32). Undefined if a
 * value is NaN or became infinite.
 */
export function encodeFloats(values: Float64Array, dtype: FloatType): Uint8Array | undefined {
  const floats = roundTo(values, dtype);
  if (!areFinite(floats)) return undefined;
  if (dtype !== "BF16") return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  const narrowed = narrowToBrainFloats(floats);
  return narrowed && new Uint8Array(narrowed.buffer);
}

export function areFinite(values: Floats): boolean {
  // Only finite numbers give zero when subtracted from themselves. Checking the sum of the differences once is faster
  // than checking each value.
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    sum += value - value;
  }
  return sum === 0;
}

function roundTo(values: Float64Array, dtype: FloatType): Floats {
  if (dtype === "F64") return values;
  return dtype === "F16" ? new Float16Array(values) : new Float32Array(values);
}

function widenBrainFloats(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let index = 0; index < halves.length; index++) words[index] = (halves[index] as number) << 16;
  return new Float32Array(words.buffer);
}

function narrowToBrainFloats(floats: Floats): Uint16Array | undefined {
  const words = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const halves = new Uint16Array(words.length);
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as number;
    halves[index] = (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
    if (((halves[index] as number) & 0x7f80) === 0x7f80) return undefined;
  }
  return halves;
}
