import type { TensorSource } from "../formats/tensor-set.ts";
import { BadRequest } from "../participant-failure.ts";
import { type ElementRange, readFloats, stretchScratch } from "./element-range.ts";
import type { Floats } from "./float-codec.ts";

/** One participant's result and its weight. */
export interface Member {
  readonly source: TensorSource;
  readonly weight: number;
}

/** Combines one range of all members into one range of the result. */
export type Combine = (range: ElementRange, result: Float64Array) => void;

/** Sums the weights in order. Throws if a weight is negative or NaN, or if the sum isn't positive and finite. */
export function sumWeights(weights: readonly number[]): number {
  let total = 0;
  for (const weight of weights) {
    if (!(weight >= 0)) throw new BadRequest("Weights must be non-negative numbers");
    total += weight;
  }
  if (!(total > 0 && total < Number.POSITIVE_INFINITY)) throw new BadRequest("The sum of the weights must be above 0");
  return total;
}

/** Computes `Σ w·x / Σ w`, summed in doubles in member order. */
export function weightedMean(members: readonly Member[]): Combine {
  const total = sumWeights(members.map(({ weight }) => weight));
  const scratch = stretchScratch(members[0]?.source.tensors ?? new Map());
  return (range, result) => {
    result.fill(0);
    for (const { source, weight } of members) addScaled(result, readFloats(source, range, scratch), weight);
    divide(result, total);
  };
}

/** Computes `Σ w·((x − base)·scale) / Σ w`: the mean change, with each member's change scaled. */
export function weightedMeanChange(
  members: readonly Member[],
  base: TensorSource,
  scales?: readonly number[],
): Combine {
  const total = sumWeights(members.map(({ weight }) => weight));
  const scratch = stretchScratch(base.tensors);
  const baseScratch = stretchScratch(base.tensors);
  return (range, result) => {
    const start = readFloats(base, range, baseScratch);
    result.fill(0);
    for (const [index, { source, weight }] of members.entries()) {
      addScaledChange(result, readFloats(source, range, scratch), start, weight, scales?.[index] ?? 1);
    }
    divide(result, total);
  };
}

function addScaled(result: Float64Array, values: Floats, weight: number): void {
  for (let index = 0; index < result.length; index++) {
    result[index] = (result[index] as number) + weight * (values[index] as number);
  }
}

function addScaledChange(result: Float64Array, values: Floats, base: Floats, weight: number, scale: number): void {
  for (let index = 0; index < result.length; index++) {
    const change = (values[index] as number) - (base[index] as number);
    result[index] = (result[index] as number) + weight * (change * scale);
  }
}

function divide(values: Float64Array, by: number): void {
  for (let index = 0; index < values.length; index++) values[index] = (values[index] as number) / by;
}
