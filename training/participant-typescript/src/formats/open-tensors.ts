import { IncompatibleParameters } from "../participant-failure.ts";
import { type ByteSource, fileSource, memorySource } from "./byte-source.ts";
import { type PlacedTensor, sourceOf } from "./placed-tensors.ts";
import { NPY_MAGIC, readNpy } from "./read-npy.ts";
import { readNpz } from "./read-npz.ts";
import { readSafetensors } from "./read-safetensors.ts";
import {
  BYTES_PER_ELEMENT,
  elementCount,
  type ParameterFormat,
  type Tensor,
  type TensorSet,
  type TensorSource,
} from "./tensor-set.ts";

/** Name of the single tensor in formats without names: npy and f32. */
export const ONLY_TENSOR = "parameters";

/** Parameters open for reading. The opener must close them. */
export interface OpenTensors extends TensorSource {
  readonly format: ParameterFormat;
  close(): void;
}

/**
 * Opens parameters in memory, or in a file that is read piece by piece. Throws IncompatibleParameters on any malformed
 * input before a tensor can be read.
 */
export function openTensors(from: string | Uint8Array, format: ParameterFormat | "auto" = "auto"): OpenTensors {
  const bytes = typeof from === "string" ? fileSource(from) : memorySource(from);
  try {
    const known = format === "auto" ? formatOf(bytes) : format;
    return { ...sourceOf(placeTensors(bytes, known)), format: known, close: () => bytes.close() };
  } catch (error) {
    bytes.close();
    throw error;
  }
}

/** Reads all tensors of serialized parameters. Uncompressed tensors are views of `bytes`, not copies. */
export function readTensors(bytes: Uint8Array, format: ParameterFormat | "auto" = "auto"): TensorSet {
  const source = openTensors(bytes, format);
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape }] of source.tensors) {
    tensors.set(name, { dtype, shape, data: source.read(name, 0, elementCount(shape)) });
  }
  return tensors;
}

/**
 * Detects the format of serialized parameters by their first bytes. Never returns "f32", which has no magic bytes,
 * because a pickle of the right length would otherwise be averaged as numbers. Throws on unknown formats. For a pickle,
 * the error says so.
 */
export function detectFormat(bytes: Uint8Array): ParameterFormat {
  return formatOf(memorySource(bytes));
}

function formatOf(bytes: ByteSource): ParameterFormat {
  const start = bytes.read(0, Math.min(9, bytes.byteLength));
  if (NPY_MAGIC.every((byte, index) => start[index] === byte)) return "npy";
  if (start[0] === 0x50 && start[1] === 0x4b) return "npz";
  // A header is far smaller than 4 GiB, so the upper half of its length is zero. The next byte is "{".
  if ([0, 0, 0, 0, 0x7b].every((byte, index) => start[4 + index] === byte)) return "safetensors";
  if (start[0] === 0x80 && (start[1] ?? 0) >= 2 && (start[1] ?? 0) <= 5) {
    throw new IncompatibleParameters(
      "These parameters are a pickle. Pickles can run code when loaded, so they are never loaded. Use safetensors.",
    );
  }
  throw new IncompatibleParameters(
    'These parameters are not safetensors, npz, or npy. A flat array of 32-bit floats requires format "f32".',
  );
}

function placeTensors(bytes: ByteSource, format: ParameterFormat): Map<string, PlacedTensor> {
  if (format === "safetensors") return readSafetensors(bytes);
  if (format === "npz") return readNpz(bytes);
  return new Map([[ONLY_TENSOR, format === "npy" ? readNpy(bytes, ONLY_TENSOR) : placeFloats(bytes)]]);
}

function placeFloats(bytes: ByteSource): PlacedTensor {
  const size = BYTES_PER_ELEMENT.F32;
  if (bytes.byteLength % size !== 0) {
    throw new IncompatibleParameters(`${bytes.byteLength} bytes are not an array of 32-bit floats`);
  }
  return { dtype: "F32", shape: [bytes.byteLength / size], bytes, position: 0 };
}
