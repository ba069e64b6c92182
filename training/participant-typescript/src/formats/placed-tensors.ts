import { IncompatibleParameters } from "../participant-failure.ts";
import type { ByteSource } from "./byte-source.ts";
import { BYTES_PER_ELEMENT, type TensorInfo, type TensorSource } from "./tensor-set.ts";

const MAX_DIMENSIONS = 64;
export const MAX_TENSORS = 100_000;

/** A tensor and the position of its bytes. */
export interface PlacedTensor extends TensorInfo {
  readonly bytes: ByteSource;
  readonly position: number;
}

/** Creates a source over tensors whose positions have been validated. */
export function sourceOf(tensors: ReadonlyMap<string, PlacedTensor>): TensorSource {
  return {
    tensors,
    read(name, from, to, into) {
      const tensor = tensors.get(name);
      if (tensor === undefined) throw new RangeError(`No tensor is named ${JSON.stringify(name)}`);
      const size = BYTES_PER_ELEMENT[tensor.dtype];
      return tensor.bytes.read(tensor.position + from * size, tensor.position + to * size, into);
    },
  };
}

/** Returns the byte size of a tensor. Throws on invalid shapes and on sizes above the safe integer range. */
export function bytesOf(name: string, { dtype, shape }: TensorInfo): number {
  if (shape.length > MAX_DIMENSIONS) {
    throw new IncompatibleParameters(`Tensor ${quote(name)} has more than ${MAX_DIMENSIONS} dimensions`);
  }
  let bytes = BYTES_PER_ELEMENT[dtype];
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new IncompatibleParameters(`Tensor ${quote(name)} has an invalid shape`);
    }
    bytes *= size;
    // Check even if a later dimension is zero, because a shape that overflows is always invalid.
    if (!Number.isSafeInteger(bytes))
      throw new IncompatibleParameters(`Tensor ${quote(name)} has a shape that is too large`);
  }
  return bytes;
}

/** Formats a name for messages: truncated, with control characters escaped. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name);
}
