import { IncompatibleParameters } from "../participant-failure.ts";
import type { ByteSource } from "./byte-source.ts";
import { BYTES_PER_ELEMENT, type TensorInfo, type TensorSource } from "./tensor-set.ts";

const MAX_DIMENSIONS = 64;
export const MAX_TENSORS = 100_000;

/** A tensor and where its bytes lie. */
export interface PlacedTensor extends TensorInfo {
  readonly bytes: ByteSource;
  readonly position: number;
}

/** A source over tensors whose places have been checked against their bytes. */
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

/** The bytes a tensor of this type and shape takes; refuses shapes that are none, or whose product is not exact. */
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
    // Also with a zero further on: a shape that overflows is a lie, whatever it multiplies to.
    if (!Number.isSafeInteger(bytes))
      throw new IncompatibleParameters(`Tensor ${quote(name)} has a shape that is too large`);
  }
  return bytes;
}

/** A name as a message shows it: never longer than a line, never with control characters. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name);
}
