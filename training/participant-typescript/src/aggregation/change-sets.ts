import { getRandomValues } from "node:crypto";
import { collectSet, sourceOfSet } from "../formats/set-source.ts";
import type { TensorSet } from "../formats/tensor-set.ts";
import { BadRequest } from "../participant-failure.ts";
import { writeCombined } from "./aggregate-sources.ts";
import { checkSameTensors } from "./compare-tensors.ts";
import { readFloats, stretchScratch } from "./element-range.ts";
import { cosineOf, updateNorm } from "./measure-updates.ts";

/** Scales the set down so that its Euclidean norm over all floats is at most `norm`. */
export function clipNorm(set: TensorSet, norm: number): TensorSet {
  if (!(norm > 0 && norm < Number.POSITIVE_INFINITY)) throw new BadRequest("The clipping norm must be above 0");
  const length = updateNorm(undefined, sourceOfSet(set));
  if (length <= norm) return set;
  const scale = norm / length;
  return mapFloats(set, (value) => value * scale);
}

/** Adds independent normal noise with this standard deviation to every float in the set. */
export function addGaussianNoise(
  set: TensorSet,
  standardDeviation: number,
  random: () => number = secureRandom(),
): TensorSet {
  if (!(standardDeviation >= 0)) throw new BadRequest("The standard deviation must not be negative");
  const noise = gaussian(random);
  return mapFloats(set, (value) => value + standardDeviation * noise());
}

/**
 * Returns the cosine similarity of two tensor sets, computed over all floats; 0 if all floats in either set are zero.
 */
export function cosine(first: TensorSet, second: TensorSet): number {
  checkSameTensors(first, second);
  return cosineOf(sourceOfSet(first), sourceOfSet(second));
}

function mapFloats(set: TensorSet, change: (value: number) => number): TensorSet {
  const source = sourceOfSet(set);
  const { set: changed, sink } = collectSet(set);
  const scratch = stretchScratch(set);
  const combine: Parameters<typeof writeCombined>[0] = (range, result) => {
    const values = readFloats(source, range, scratch);
    for (let index = 0; index < result.length; index++) result[index] = change(values[index] as number);
  };
  writeCombined(combine, [{ source, weight: 1 }], sink);
  return changed;
}

/** Returns a generator of normally distributed numbers (Box-Muller transform). */
function gaussian(random: () => number): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    // Use (0, 1], because the logarithm of zero is undefined.
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/**
 * Returns a generator of cryptographically secure uniform numbers in [0, 1). Predictable noise would give no privacy.
 */
function secureRandom(): () => number {
  const words = new Uint32Array(2048);
  let next = words.length;
  return () => {
    if (next === words.length) {
      getRandomValues(words);
      next = 0;
    }
    const high = (words[next] as number) >>> 5;
    const low = (words[next + 1] as number) >>> 6;
    next += 2;
    return (high * 2 ** 26 + low) / 2 ** 53;
  };
}
