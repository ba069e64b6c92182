import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectSet, sourceOfSet } from "../formats/set-source.ts";
import type { TensorSet } from "../formats/tensor-set.ts";
import { IncompatibleParameters } from "../participant-failure.ts";
import { fedAvg, fedAvgDelta, krum, median, multiKrum, trimmedMean } from "./aggregate-sets.ts";
import { aggregateSources } from "./aggregate-sources.ts";
import type { AggregationMethod } from "./aggregation-method.ts";
import { addGaussianNoise, clipNorm, cosine } from "./change-sets.ts";
import { updateNorm } from "./measure-updates.ts";

const LENGTH = 7;
/**
 * Multiples of 1/1024 with magnitude up to 1024: their sums are exact in doubles, so the summation order doesn't
 * matter.
 */
const exactNumber = fc.integer({ min: -(2 ** 20), max: 2 ** 20 }).map((value) => value / 1024);
const float32 = fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(-1e30), max: Math.fround(1e30) });
const model = (number: fc.Arbitrary<number>) => fc.array(number, { minLength: LENGTH, maxLength: LENGTH });
const models = (number: fc.Arbitrary<number>, min: number, max: number) =>
  fc.array(model(number), { minLength: min, maxLength: max });

describe("the weighted mean", () => {
  test("is the exact sum of fractions, rounded to the type", () => {
    const weighted = models(exactNumber, 1, 9).chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(weighted, ([list, weights]) => {
        const result = numbers(fedAvg(list.map(floats), weights));
        for (let index = 0; index < LENGTH; index++) {
          expect(result[index]).toBe(
            exactMean(
              list.map((values) => Math.fround(values[index] ?? 0)),
              weights,
            ),
          );
        }
      }),
    );
  });

  test("of changes on a base equals the direct mean", () => {
    fc.assert(
      fc.property(model(exactNumber), models(exactNumber, 1, 6), (base, list) => {
        const direct = numbers(fedAvg(list.map(floats)));
        const changed = numbers(fedAvgDelta(floats(base), list.map(floats)));
        for (const [index, value] of changed.entries()) expect(value).toBeCloseTo(direct[index] ?? Number.NaN, 3);
      }),
    );
  });
});

const unweighted: readonly (readonly [string, (list: readonly TensorSet[]) => TensorSet])[] = [
  ["fedavg", (list) => fedAvg(list)],
  ["median", (list) => median(list)],
  ["trimmed_mean", (list) => trimmedMean(list, 0.2)],
  ["multi_krum", (list) => multiKrum(list, 1, 3)],
  ["krum", (list) => krum(list, 1)],
];

describe.each(unweighted)("%s", (name, aggregate) => {
  test("does not depend on the order of the members", () => {
    const shuffled = models(exactNumber, 5, 9).chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        // Equal Krum scores are resolved by member order, so the order matters only for ties.
        fc.pre(!name.includes("krum") || new Set(list.map(String)).size === list.length);
        const scores = name.includes("krum") ? krumScores(list, 1) : [];
        fc.pre(new Set(scores).size === scores.length);
        expect(numbers(aggregate(other.map(floats)))).toEqual(numbers(aggregate(list.map(floats))));
      }),
    );
  });

  test("of identical members equals each member", () => {
    fc.assert(
      fc.property(model(float32), fc.integer({ min: 5, max: 12 }), (values, count) => {
        const result = numbers(aggregate(Array.from({ length: count }, () => floats(values))));
        expect(result.map((value) => value + 0)).toEqual(values.map((value) => value + 0));
      }),
    );
  });
});

describe("malicious members cannot move the result out of the honest members' range", () => {
  const robust: readonly (readonly [string, (list: readonly TensorSet[], f: number) => TensorSet])[] = [
    ["median", (list) => median(list)],
    ["trimmed_mean", (list) => trimmedMean(list, 0.3)],
    ["krum", (list, f) => krum(list, f)],
    ["multi_krum", (list, f) => multiKrum(list, f, list.length - 2 * f)],
  ];
  const honest = models(fc.float({ min: -1, max: 1, noNaN: true }), 5, 8);
  const attack = fc.constantFrom(1e6, -1e6);

  test.each(robust)("%s", (_, aggregate) => {
    fc.assert(
      fc.property(honest, fc.array(attack, { minLength: 2, maxLength: 2 }), fc.nat(), (good, outliers, seed) => {
        const f = Math.min(2, Math.floor((good.length - 3) / 2) + 1, Math.floor(0.3 * (good.length + 2)));
        fc.pre(good.length + f >= 2 * f + 3);
        const bad = outliers.slice(0, f).map((value) => new Array<number>(LENGTH).fill(value));
        const list = [...good];
        for (const [index, values] of bad.entries()) list.splice((seed + index) % (list.length + 1), 0, values);
        const result = numbers(aggregate(list.map(floats), f));
        for (let index = 0; index < LENGTH; index++) {
          const column = good.map((values) => values[index] ?? 0);
          expect(result[index]).toBeGreaterThanOrEqual(Math.min(...column) - 1e-6);
          expect(result[index]).toBeLessThanOrEqual(Math.max(...column) + 1e-6);
        }
      }),
    );
  });
});

describe("a member with a non-finite value", () => {
  const methods: AggregationMethod[] = [
    { name: "fedavg" },
    { name: "median" },
    { name: "trimmed_mean", beta: 0.2 },
    { name: "krum", f: 1 },
    { name: "multi_krum", f: 1, m: 2 },
    { name: "norm_clip", norm: 1 },
    { name: "fedavgm", learningRate: 1, momentum: 0.9 },
    { name: "fedadam", learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0.001 },
  ];
  test.each(methods)("is rejected with an error that contains its index: $name", (method) => {
    const wrong = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    fc.assert(
      fc.property(models(exactNumber, 5, 6), wrong, fc.nat(4), fc.nat(LENGTH - 1), (list, value, member, at) => {
        const broken = list.map((values, index) => (index === member ? values.with(at, value) : values));
        expect(refusal(() => aggregateWithBase(method, broken))).toMatchObject({ member, tensor: "weights" });
      }),
    );
  });
});

test("clipping limits the length to the norm and preserves the direction", () => {
  const norm = fc.double({ min: 0.5, max: 100, noNaN: true });
  fc.assert(
    fc.property(model(exactNumber), norm, (values, limit) => {
      const clipped = clipNorm(floats(values), limit);
      expect(updateNorm(undefined, sourceOfSet(clipped))).toBeLessThanOrEqual(limit * (1 + 1e-6));
      if (values.some((value) => Math.abs(value) > 0.01)) expect(cosine(clipped, floats(values))).toBeCloseTo(1, 4);
    }),
  );
});

test("norm_clip moves the model by at most the norm, regardless of the members", () => {
  fc.assert(
    fc.property(models(float32, 1, 6), fc.double({ min: 0.1, max: 10, noNaN: true }), (list, norm) => {
      const result = aggregateWithBase({ name: "norm_clip", norm }, list);
      const base = new Map(
        [...result].map(([name, tensor]) => [name, { ...tensor, data: new Uint8Array(LENGTH * 4) }]),
      );
      expect(updateNorm(sourceOfSet(base), sourceOfSet(result))).toBeLessThanOrEqual(norm * (1 + 1e-6));
    }),
  );
});

test("noise has a mean of zero and the requested standard deviation", () => {
  const count = 200_000;
  const zeros: TensorSet = new Map([["noise", { dtype: "F64", shape: [count], data: new Uint8Array(count * 8) }]]);
  const noisy = addGaussianNoise(zeros, 0.5).get("noise")?.data ?? new Uint8Array();
  const values = new Float64Array(noisy.buffer, noisy.byteOffset, count);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / count);
  expect(Math.abs(mean)).toBeLessThan(0.01);
  expect(Math.abs(deviation - 0.5)).toBeLessThan(0.01);
});

function aggregateWithBase(method: AggregationMethod, list: readonly (readonly number[])[]): TensorSet {
  const sets = list.map(floats);
  const base = floats(new Array<number>(LENGTH).fill(0));
  const { set, sink } = collectSet(base);
  const members = sets.map((member) => ({ source: sourceOfSet(member), weight: 1 }));
  aggregateSources(method, members, sink, { base: sourceOfSet(base), state: { sink: { write: () => {} } } });
  return set;
}

function floats(values: readonly number[]): TensorSet {
  const data = new Uint8Array(new Float32Array(values).buffer);
  return new Map([["weights", { dtype: "F32", shape: [values.length], data }]]);
}

function numbers(set: TensorSet): number[] {
  const data = set.get("weights")?.data ?? new Uint8Array();
  return [...new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4)];
}

function refusal(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof IncompatibleParameters) return error.extras.details;
    throw error;
  }
  return undefined;
}

/**
 * Computes the mean in integers: values are multiples of 2^-10, so the mean is `sum / (total · 1024)`, divided once at
 * the end.
 */
function exactMean(values: readonly number[], weights: readonly number[]): number {
  let sum = 0n;
  let total = 0n;
  for (const [index, value] of values.entries()) {
    const weight = BigInt(weights[index] ?? 0);
    sum += weight * BigInt(value * 1024);
    total += weight;
  }
  return Math.fround(Number(sum) / Number(total * 1024n));
}

function krumScores(list: readonly (readonly number[])[], f: number): number[] {
  return list.map((values) => {
    const distances = list.map((other) => values.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0));
    return distances
      .toSorted((a, b) => a - b)
      .slice(1, list.length - f - 1)
      .reduce((sum, distance) => sum + distance, 0);
  });
}
