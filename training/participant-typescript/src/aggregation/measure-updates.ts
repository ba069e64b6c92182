import type { TensorSource } from "../formats/tensor-set.ts";
import { readRows } from "./combine-columns.ts";
import { floatStretches, readFloats, stretchElements, stretchScratch } from "./element-range.ts";
import type { Floats } from "./float-codec.ts";
import { atOnce, type Pieces } from "./in-turns.ts";

/** Update sizes and pairwise distances, as Euclidean distances over all floats. */
interface UpdateMeasures {
  /** Distance from each member to the base; without a base, the member's own norm. */
  readonly norms: readonly number[];
  /** Distances between members, by index. */
  readonly distances: readonly (readonly number[])[];
}

/** Computes the measures for the report, in one pass per kind of measure. The sources must have the same tensors. */
export function* measureUpdates(
  base: TensorSource | undefined,
  sources: readonly TensorSource[],
): Pieces<UpdateMeasures> {
  const norms: number[] = [];
  for (const source of sources) norms.push(yield* updateNormPieces(base, source));
  const distances = yield* squaredDistances(sources);
  return { norms, distances: distances.map((row) => row.map(Math.sqrt)) };
}

/** Returns the norm of the change from `base` to `source`; without a base, the norm of `source`. */
export function updateNorm(base: TensorSource | undefined, source: TensorSource): number {
  return atOnce(updateNormPieces(base, source));
}

/** Like `updateNorm`, but as pausable work. */
export function* updateNormPieces(base: TensorSource | undefined, source: TensorSource): Pieces<number> {
  const scratch = stretchScratch(source.tensors);
  const baseScratch = stretchScratch(source.tensors);
  let sum = 0;
  for (const range of floatStretches((base ?? source).tensors)) {
    const values = readFloats(source, range, scratch);
    sum = base === undefined ? addSquares(sum, values) : addDistance(sum, values, readFloats(base, range, baseScratch));
    yield;
  }
  return Math.sqrt(sum);
}

/** Returns the squared distances between all members. Throws on a non-finite number and names the member's index. */
export function* squaredDistances(sources: readonly TensorSource[]): Pieces<number[][]> {
  const sums = sources.map(() => new Array<number>(sources.length).fill(0));
  const [first] = sources;
  if (first === undefined) return sums;
  const read = readRows(sources);
  for (const range of floatStretches(first.tensors, stretchElements(first.tensors, sources.length))) {
    const rows = read(range);
    for (const [index, row] of rows.entries()) {
      const distances = sums[index] as number[];
      for (let other = index + 1; other < rows.length; other++) {
        distances[other] = addDistance(distances[other] as number, row, rows[other] as Float64Array);
      }
      yield;
    }
  }
  for (const [index, row] of sums.entries()) {
    for (let other = 0; other < index; other++) row[other] = sums[other]?.[index] as number;
  }
  return sums;
}

/**
 * Returns the cosine similarity of two tensor sets, computed over all floats; 0 if all floats in either set are zero.
 */
export function cosineOf(first: TensorSource, second: TensorSource): number {
  const scratch = stretchScratch(first.tensors);
  const otherScratch = stretchScratch(first.tensors);
  let product = 0;
  let firstSquares = 0;
  let secondSquares = 0;
  for (const range of floatStretches(first.tensors)) {
    const values = readFloats(first, range, scratch);
    const others = readFloats(second, range, otherScratch);
    for (let index = 0; index < values.length; index++) {
      product += (values[index] as number) * (others[index] as number);
    }
    firstSquares = addSquares(firstSquares, values);
    secondSquares = addSquares(secondSquares, others);
  }
  const lengths = Math.sqrt(firstSquares) * Math.sqrt(secondSquares);
  return lengths > 0 ? product / lengths : 0;
}

function addSquares(start: number, values: Floats): number {
  let sum = start;
  for (let index = 0; index < values.length; index++) sum += (values[index] as number) * (values[index] as number);
  return sum;
}

function addDistance(start: number, values: Floats, others: Floats): number {
  let sum = start;
  for (let index = 0; index < values.length; index++) {
    const difference = (values[index] as number) - (others[index] as number);
    sum += difference * difference;
  }
  return sum;
}
