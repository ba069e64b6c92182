import type { TensorSource } from "../formats/tensor-set.ts";
import type { Pieces } from "./in-turns.ts";
import { squaredDistances } from "./measure-updates.ts";

/**
 * Returns the indexes of the `count` members with the smallest Krum scores, in member order. A score is the sum of the
 * squared distances to the `members − f − 2` nearest other members; ties go to the lower index.
 */
export function* chooseByKrum(sources: readonly TensorSource[], f: number, count: number): Pieces<number[]> {
  const scores = krumScores(yield* squaredDistances(sources), f);
  const ranking = scores.map((_, index) => index).sort((a, b) => scoreOf(scores, a) - scoreOf(scores, b) || a - b);
  return ranking.slice(0, count).sort((a, b) => a - b);
}

function krumScores(distances: readonly (readonly number[])[], f: number): number[] {
  const nearest = distances.length - f - 2;
  return distances.map((row, index) => {
    const others = row.filter((_, other) => other !== index).sort((a, b) => a - b);
    return others.slice(0, nearest).reduce((sum, distance) => sum + distance, 0);
  });
}

function scoreOf(scores: readonly number[], index: number): number {
  return scores[index] ?? Number.POSITIVE_INFINITY;
}
