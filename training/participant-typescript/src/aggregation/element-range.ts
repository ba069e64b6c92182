import { elementCount, type TensorInfo, type TensorSource } from "../formats/tensor-set.ts";
import { decodeFloats, type Floats, type FloatType, isFloatType } from "./float-codec.ts";

/** Number of elements per range, small enough for the processor's cache. */
const MAX_ELEMENTS = 65_536;
/** Maximum number of doubles in memory for all members together. */
const MAX_HELD = 4 * 1024 * 1024;

/** A range of elements in one tensor, processed as one piece. */
export interface ElementRange {
  readonly name: string;
  readonly dtype: FloatType;
  readonly from: number;
  readonly to: number;
}

/** Returns the number of elements per tensor to process at a time when this many members are in memory. */
export function stretchElements(tensors: ReadonlyMap<string, TensorInfo>, members = 1): number {
  let largest = 1;
  for (const { dtype, shape } of tensors.values()) {
    if (isFloatType(dtype)) largest = Math.max(largest, elementCount(shape));
  }
  return Math.min(largest, MAX_ELEMENTS, Math.ceil(MAX_HELD / members));
}

/** Allocates a buffer large enough for one range of any type. */
export function stretchScratch(tensors: ReadonlyMap<string, TensorInfo>): Uint8Array {
  return new Uint8Array(stretchElements(tensors) * 8);
}

/** Yields ranges that cover every element of every float tensor exactly once, in order. */
export function* floatStretches(
  tensors: ReadonlyMap<string, TensorInfo>,
  elements = stretchElements(tensors),
): Generator<ElementRange> {
  for (const [name, { dtype, shape }] of tensors) {
    if (!isFloatType(dtype)) continue;
    const count = elementCount(shape);
    for (let from = 0; from < count; from += elements) {
      yield { name, dtype, from, to: Math.min(from + elements, count) };
    }
  }
}

/** Reads the numbers in one range. If they are stored in `scratch`, the next read overwrites them. */
export function readFloats(source: TensorSource, range: ElementRange, scratch?: Uint8Array): Floats {
  return decodeFloats(source.read(range.name, range.from, range.to, scratch), range.dtype);
}
