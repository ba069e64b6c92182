import { elementCount, type TensorInfo, type TensorSource } from "../formats/tensor-set.ts";
import { decodeFloats, type Floats, type FloatType, isFloatType } from "./float-codec.ts";

/** Small enough for the processor's cache. */
const MAX_ELEMENTS = 65_536;
/** Doubles held for all members together. */
const MAX_HELD = 4 * 1024 * 1024;

/** Some elements of one tensor: what is worked on at a time. */
export interface TimeRange {
  readonly name: string;
  readonly dtype: FloatType;
  readonly from: number;
  readonly to: number;
}

/** How many elements of one tensor are worked on at a time, where that many members are held at once. */
export function stretchElements(tensors: ReadonlyMap<string, TensorInfo>, members = 1): number {
  let largest = 1;
  for (const { dtype, shape } of tensors.values()) {
    if (isFloatType(dtype)) largest = Math.max(largest, elementCount(shape));
  }
  return Math.min(largest, MAX_ELEMENTS, Math.ceil(MAX_HELD / members));
}

/** Room for one stretch of any type. */
export function stretchScratch(tensors: ReadonlyMap<string, TensorInfo>): Uint8Array {
  return new Uint8Array(stretchElements(tensors) * 8);
}

/** Every element of every tensor of floats exactly once, in order. */
export function* floatStretches(
  tensors: ReadonlyMap<string, TensorInfo>,
  elements = stretchElements(tensors),
): Generator<TimeRange> {
  for (const [name, { dtype, shape }] of tensors) {
    if (!isFloatType(dtype)) continue;
    const count = elementCount(shape);
    for (let from = 0; from < count; from += elements) {
      yield { name, dtype, from, to: Math.min(from + elements, count) };
    }
  }
}

/** The numbers of one stretch. They may lie in `scratch`, and then change with the next read into it. */
export function readFloats(source: TensorSource, range: TimeRange, scratch?: Uint8Array): Floats {
  return decodeFloats(source.read(range.name, range.from, range.to, scratch), range.dtype);
}
