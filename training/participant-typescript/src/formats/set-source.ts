import { IncompatibleParameters } from "../participant-failure.ts";
import { bytesOf, quote } from "./placed-tensors.ts";
import {
  BYTES_PER_ELEMENT,
  type Tensor,
  type TensorInfo,
  type TensorSet,
  type TensorSink,
  type TensorSource,
} from "./tensor-set.ts";

/** Creates a source from a set in memory. Throws if a tensor's bytes do not match its shape and type. */
export function sourceOfSet(set: TensorSet): TensorSource {
  for (const [name, tensor] of set) {
    if (bytesOf(name, tensor) !== tensor.data.byteLength) {
      throw new IncompatibleParameters(`Tensor ${quote(name)} has data that does not match its shape`);
    }
  }
  return {
    tensors: set,
    read(name, from, to) {
      const tensor = set.get(name);
      if (tensor === undefined) throw new RangeError(`No tensor is named ${quote(name)}`);
      const size = BYTES_PER_ELEMENT[tensor.dtype];
      return tensor.data.subarray(from * size, to * size);
    },
  };
}

/** Returns an in-memory sink and its set, which is complete once every tensor has been written. */
export function collectSet(tensors: ReadonlyMap<string, TensorInfo>): { set: TensorSet; sink: TensorSink } {
  const set = new Map<string, Tensor>();
  const written = new Map<string, number>();
  for (const [name, { dtype, shape }] of tensors) {
    set.set(name, { dtype, shape, data: new Uint8Array(bytesOf(name, { dtype, shape })) });
  }
  return {
    set,
    sink: {
      write(name, piece) {
        const start = written.get(name) ?? 0;
        set.get(name)?.data.set(piece, start);
        written.set(name, start + piece.byteLength);
      },
    },
  };
}
