import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTensors } from "../formats/open-tensors.ts";
import { collectSet, sourceOfSet } from "../formats/set-source.ts";
import type { Tensor, TensorSet } from "../formats/tensor-set.ts";
import { writeTensorFile, writeTensors } from "../formats/write-tensors.ts";
import { BadRequest, IncompatibleParameters } from "../participant-failure.ts";
import { fedAvg } from "./aggregate-sets.ts";
import { aggregateSources } from "./aggregate-sources.ts";
import { type AggregationMethod, checkMethod, METHOD_NAMES, parseMethod } from "./aggregation-method.ts";
import { checkMember } from "./compare-tensors.ts";
import { fedAvgAggregate } from "./fed-avg-aggregate.ts";
import { atOnce } from "./in-turns.ts";
import { measureUpdates } from "./measure-updates.ts";
import { stateTensors } from "./server-optimizer.ts";

test("rejects members that differ and lists the first ten differences", () => {
  const first = new Map([
    ["a", floats([1, 2])],
    ["b", floats([1])],
  ]);
  const second = new Map<string, Tensor>([
    ["a", { ...floats([1, 2]), shape: [2, 1] }],
    ["c", floats([1])],
  ]);
  expect(() => fedAvg([first, second])).toThrow(
    'Member 1 does not match the others: tensor "a" is F32 [2, 1] instead of F32 [2]; tensor "b" is missing; tensor "c" is unexpected',
  );
  const many = new Map(Array.from({ length: 14 }, (_, index) => [`t${index}`, floats([1])]));
  expect(() => checkMember(many, sourceOfSet(new Map()))).toThrow("and 4 more");
  expect(() => checkMember(first, sourceOfSet(first))).not.toThrow();
});

test("counters and flags come from the member with the largest weight, or the first of equally weighted members", () => {
  const sets = [1, 2, 3].map((step) => new Map([["step", integers([step])]]));
  expect(fedAvg(sets, [1, 5, 5]).get("step")).toEqual(integers([2]));
  expect(fedAvg(sets).get("step")).toEqual(integers([1]));
});

test("rejects invalid weights", () => {
  const set = new Map([["a", floats([1])]]);
  for (const weights of [[-1, 2], [0, 0], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 1], [1]]) {
    expect(() => fedAvg([set, set], weights)).toThrow(BadRequest);
  }
  expect(() => fedAvg([])).toThrow(BadRequest);
});

test("rejects a result that overflows its type instead of writing infinity", () => {
  const half = (value: number) =>
    new Map([["a", { dtype: "F16", shape: [1], data: bytesOf(Float16Array.of(value)) } satisfies Tensor]]);
  const { sink } = collectSet(half(0));
  const members = [{ source: sourceOfSet(half(60_000)), weight: 1 }];
  const method: AggregationMethod = { name: "fedavgm", learningRate: 3, momentum: 0 };
  const options = { base: sourceOfSet(half(30_000)), state: { sink: { write: () => {} } } };
  expect(() => aggregateSources(method, members, sink, options)).toThrow("the result is not finite");
});

test("server momentum and Adam keep their state across rounds", () => {
  const momentum = runRounds({ name: "fedavgm", learningRate: 1, momentum: 0.5 }, [2, 2, 2]);
  // Each change is 2, so v is 2, 3, and 3.5.
  expect(momentum).toEqual([2, 5, 8.5]);

  const method: AggregationMethod = { name: "fedadam", learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0.001 };
  const adam = runRounds(method, [2, -1, 4]);
  let [mean, square, value] = [0, 0, 0];
  for (const [index, change] of [2, -1, 4].entries()) {
    mean = 0.9 * mean + 0.1 * change;
    square = 0.99 * square + 0.01 * change ** 2;
    const [meanHat, squareHat] = [mean / (1 - 0.9 ** (index + 1)), square / (1 - 0.99 ** (index + 1))];
    value += (0.1 * meanHat) / (Math.sqrt(squareHat) + 0.001);
    expect(adam[index]).toBeCloseTo(value, 5);
  }
});

test("file-based aggregation reads one chunk at a time and matches the in-memory result", () => {
  const folder = mkdtempSync(join(tmpdir(), "aggregate-"));
  const count = 1_000_000;
  const sets = [1, 2, 3].map((seed) => {
    const values = Float32Array.from({ length: count }, (_, index) => Math.sin(index * seed));
    return new Map([["weights", { dtype: "F32", shape: [count], data: bytesOf(values) } satisfies Tensor]]);
  });
  const members = sets.map((set, index) => {
    const path = join(folder, `member-${index}`);
    const writer = writeTensorFile(path, set, "safetensors");
    for (const [name, { data }] of set) writer.write(name, data);
    writer.finish();
    return { source: openTensors(path), weight: index + 1 };
  });
  let largest = 0;
  const { set, sink } = collectSet(sets[0] ?? new Map());
  aggregateSources({ name: "median" }, members, {
    write(name, piece) {
      largest = Math.max(largest, piece.byteLength);
      sink.write(name, piece);
    },
  });
  expect(largest).toBeLessThan(count);
  const middle = sets.map((member) => member.get("weights")?.data ?? new Uint8Array());
  const at = (data: Uint8Array, index: number) => new DataView(data.buffer).getFloat32(index * 4, true);
  for (let index = 0; index < count; index += 9973) {
    const column = middle.map((data) => at(data, index)).sort((a, b) => a - b);
    expect(at(set.get("weights")?.data ?? new Uint8Array(), index)).toBe(column[1]);
  }
  for (const { source } of members) source.close();
  rmSync(folder, { recursive: true });
});

test("reports invalid parameters and member counts without reading any data", () => {
  expect(checkMethod({ name: "median" }, 2)).toBe("median requires at least 3 members, but there are 2");
  expect(checkMethod({ name: "trimmed_mean", beta: 0.5 }, 9)).toContain("between 0 and 0.5");
  expect(checkMethod({ name: "trimmed_mean", beta: 0.49 }, 1)).toBeUndefined();
  expect(checkMethod({ name: "krum", f: 2 }, 6)).toBe("krum with f = 2 requires at least 7 members, but there are 6");
  expect(checkMethod({ name: "krum", f: 2 }, 7)).toBeUndefined();
  expect(checkMethod({ name: "krum", f: 0.5 }, 7)).toContain("whole number");
  expect(checkMethod({ name: "multi_krum", f: 1, m: 5 }, 5)).toBe(
    "multi_krum can choose 1 to 4 members here, but m is 5",
  );
  expect(checkMethod({ name: "norm_clip", norm: 0 }, 5)).toContain("above 0");
  expect(checkMethod({ name: "fedavgm", learningRate: 1, momentum: 1 }, 5)).toContain("momentum");
  expect(checkMethod({ name: "fedavg" }, 0)).toContain("no parameters");
});

test("parses aggregation methods in the plan file format", () => {
  expect(parseMethod("fedavg")).toEqual({ name: "fedavg" });
  expect(parseMethod(" trimmed_mean(0.2) ")).toEqual({ name: "trimmed_mean", beta: 0.2 });
  expect(parseMethod("multi_krum(1, 3)")).toEqual({ name: "multi_krum", f: 1, m: 3 });
  expect(parseMethod("fedadam(0.05)")).toMatchObject({ learningRate: 0.05, beta1: 0.9 });
  for (const wrong of ["mean", "krum", "krum()", "krum(x)", "krum(1,2)", "multi_krum(1,)", "constructor"]) {
    expect(() => parseMethod(wrong)).toThrow(BadRequest);
  }
  expect(METHOD_NAMES).toContain("norm_clip");
});

test("measures how far members moved and the distances between them", () => {
  const source = (values: number[]) => sourceOfSet(new Map([["a", floats(values)]]));
  const members = [source([4, 5]), source([1, 1]), source([1, 2])];
  const { norms, distances } = atOnce(measureUpdates(source([1, 1]), members));
  expect(norms).toEqual([5, 0, 1]);
  expect(distances[0]).toEqual([0, 5, Math.sqrt(18)]);
  expect(distances[2]).toEqual([Math.sqrt(18), 1, 0]);
});

test("fedAvgAggregate returns its result in the format of its members", async () => {
  const context = { weights: [1, 3] } as Parameters<ReturnType<typeof fedAvgAggregate>>[1];
  const aggregate = fedAvgAggregate({ format: "auto" });
  for (const format of ["safetensors", "npz", "npy"] as const) {
    const list = [[0], [4]].map((values) => writeTensors(new Map([["parameters", floats(values)]]), format));
    const result = await aggregate(list, context);
    expect(result).toEqual(writeTensors(new Map([["parameters", floats([3])]]), format));
  }
  const bare = [[0], [4]].map((values) => floats(values).data);
  expect(await fedAvgAggregate({ format: "f32" })(bare, context)).toEqual(floats([3]).data);
  await expect(aggregate(bare, context)).rejects.toThrow(IncompatibleParameters);
  const mixed = (["safetensors", "npy"] as const).map((format) =>
    writeTensors(new Map([["parameters", floats([1])]]), format),
  );
  await expect(aggregate(mixed, context)).rejects.toThrow("Member 1 is npy, but the first member is safetensors");
  await expect(aggregate([...mixed, ...mixed], context)).rejects.toThrow(BadRequest);
});

/** Runs rounds in which all members change the model equally. Serializes the state between rounds. */
function runRounds(method: AggregationMethod, changes: readonly number[]): number[] {
  let state: Uint8Array | undefined;
  let value = 0;
  return changes.map((change) => {
    const base = new Map([["a", floats([value])]]);
    const member = sourceOfSet(new Map([["a", floats([value + change])]]));
    const { set, sink } = collectSet(base);
    const next = collectSet(stateTensors(method, base) ?? new Map());
    const previous = state && openTensors(state);
    const members = [1, 2].map((weight) => ({ source: member, weight }));
    aggregateSources(method, members, sink, { base: sourceOfSet(base), state: { previous, sink: next.sink } });
    state = writeTensors(next.set, "safetensors");
    value = numberOf(set);
    return value;
  });
}

function numberOf(set: TensorSet): number {
  const data = set.get("a")?.data ?? new Uint8Array(4);
  return new DataView(data.buffer, data.byteOffset, 4).getFloat32(0, true);
}

function floats(values: readonly number[]): Tensor {
  return { dtype: "F32", shape: [values.length], data: bytesOf(Float32Array.from(values)) };
}

function integers(values: readonly number[]): Tensor {
  return { dtype: "I32", shape: [values.length], data: bytesOf(Int32Array.from(values)) };
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
