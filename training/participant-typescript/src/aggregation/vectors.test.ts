import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openTensors, readTensors } from "../formats/open-tensors.ts";
import { collectSet, sourceOfSet } from "../formats/set-source.ts";
import { writeTensors } from "../formats/write-tensors.ts";
import { fedAvgDelta } from "./aggregate-sets.ts";
import { aggregateSources } from "./aggregate-sources.ts";
import type { AggregationMethod } from "./aggregation-method.ts";
import { cosine } from "./change-sets.ts";
import { updateNorm } from "./measure-updates.ts";

interface AggregationCase {
  readonly method: AggregationMethod["name"] | "delta";
  readonly arguments: Record<string, number>;
  readonly weights: number[] | null;
  readonly base: string | null;
  readonly members: string[];
  readonly result: string;
}

interface Measure {
  readonly measure: "norm" | "distance" | "cosine";
  readonly sets: string[];
  readonly value: number;
}

const vectors: { aggregations: AggregationCase[]; measures: Measure[] } = JSON.parse(
  readFileSync(new URL("../../../vectors/vectors.json", import.meta.url), "utf8"),
);

describe("aggregations match numpy bit for bit", () => {
  test.each(vectors.aggregations)("$method of $members.length with $arguments and weights $weights", (vector) => {
    const result = aggregate(vector);
    expect(Buffer.from(writeTensors(result, "safetensors")).toString("base64")).toBe(vector.result);
  });
});

test.each(vectors.measures)("$measure matches numpy to the last bit", ({ measure, sets, value }) => {
  const [first = new Map(), second = new Map()] = sets.map((set) => readTensors(decode(set)));
  const measured = {
    norm: () => updateNorm(undefined, sourceOfSet(first)),
    distance: () => updateNorm(sourceOfSet(second), sourceOfSet(first)),
    cosine: () => cosine(first, second),
  };
  expect(measured[measure]()).toBe(value);
});

function aggregate(vector: AggregationCase) {
  const sets = vector.members.map((member) => readTensors(decode(member)));
  const base = vector.base === null ? undefined : readTensors(decode(vector.base));
  if (vector.method === "delta") return fedAvgDelta(base ?? new Map(), sets, vector.weights ?? undefined);
  const { set, sink } = collectSet(sets[0] ?? new Map());
  const members = vector.members.map((member, index) => ({
    source: openTensors(decode(member)),
    weight: vector.weights?.[index] ?? 1,
  }));
  const method = { name: vector.method, ...vector.arguments } as AggregationMethod;
  aggregateSources(method, members, sink, { base: base && sourceOfSet(base) });
  return set;
}

function decode(base64: string): Uint8Array {
  return Buffer.from(base64, "base64");
}
