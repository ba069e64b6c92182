import type { TensorSource } from "../formats/tensor-set.ts";
import { trimmedPerSide } from "./aggregation-method.ts";
import { notFinite } from "./compare-tensors.ts";
import { type ElementRange, readFloats, stretchElements } from "./element-range.ts";
import { areFinite } from "./float-codec.ts";
import type { Combine } from "./weighted-mean.ts";

/** Up to this length, insertion sort is faster than the built-in sort. */
const INSERTION_LIMIT = 40;

/** Returns the element-wise median. For an even number of members, it is the mean of the two middle values. */
export function medianOf(sources: readonly TensorSource[]): Combine {
  const middle = sources.length >>> 1;
  const isOdd = sources.length % 2 === 1;
  return combineColumns(sources, (column) => {
    const upper = column[middle] as number;
    // Adding zero turns minus zero into zero, so that the order of equal values doesn't matter.
    return isOdd ? upper + 0 : ((column[middle - 1] as number) + upper) / 2 + 0;
  });
}

/** Returns the element-wise mean without the lowest and highest `floor(beta · members)` values. */
export function trimmedMeanOf(sources: readonly TensorSource[], beta: number): Combine {
  const dropped = trimmedPerSide(beta, sources.length);
  const end = sources.length - dropped;
  return combineColumns(sources, (column) => {
    let sum = 0;
    for (let index = dropped; index < end; index++) sum += column[index] as number;
    return sum / (end - dropped);
  });
}

/** Reads one range of elements from all sources, one row per source. Throws if a source has a non-finite number. */
export function readRows(sources: readonly TensorSource[]): (range: ElementRange) => Float64Array[] {
  const elements = stretchElements(sources[0]?.tensors ?? new Map(), sources.length);
  const scratch = new Uint8Array(elements * 8);
  const rows = sources.map(() => new Float64Array(elements));
  return (range) => {
    const length = range.to - range.from;
    return sources.map((source, index) => {
      const row = (rows[index] as Float64Array).subarray(0, length);
      row.set(readFloats(source, range, scratch));
      if (!areFinite(row)) throw notFinite(range.name, index);
      return row;
    });
  };
}

function combineColumns(sources: readonly TensorSource[], reduce: (sorted: Float64Array) => number): Combine {
  const read = readRows(sources);
  const column = new Float64Array(sources.length);
  const sort = sources.length <= INSERTION_LIMIT ? sortByInsertion : (values: Float64Array) => values.sort();
  return (range, result) => {
    const rows = read(range);
    for (let index = 0; index < result.length; index++) {
      for (let member = 0; member < rows.length; member++) {
        column[member] = (rows[member] as Float64Array)[index] as number;
      }
      sort(column);
      result[index] = reduce(column);
    }
  };
}

function sortByInsertion(values: Float64Array): void {
  for (let index = 1; index < values.length; index++) {
    const value = values[index] as number;
    let at = index;
    while (at > 0 && (values[at - 1] as number) > value) {
      values[at] = values[at - 1] as number;
      at -= 1;
    }
    values[at] = value;
  }
}
