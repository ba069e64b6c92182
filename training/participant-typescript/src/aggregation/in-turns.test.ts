import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { expect, test } from "vitest";
import { collectSet, sourceOfSet } from "../formats/set-source.ts";
import type { TensorSet } from "../formats/tensor-set.ts";
import { aggregatePieces, aggregateSources } from "./aggregate-sources.ts";
import { parseMethod } from "./aggregation-method.ts";
import { inTurns, type Pieces } from "./in-turns.ts";

/** Runs for about the given time, in one-millisecond slices. */
function* busyFor(milliseconds: number): Pieces<string> {
  for (let piece = 0; piece < milliseconds; piece += 1) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  return "done";
}

test("long work yields to other tasks while it runs", async () => {
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await inTurns(busyFor(300))).toBe("done");
  clearInterval(others);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test("an abort ends long work at its next yield", async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 1);
  await expect(inTurns(busyFor(5_000), stop.signal)).rejects.toThrow("enough");
});

test.for(["fedavg", "median", "trimmed_mean(0.2)", "krum(1)", "multi_krum(1, 3)", "norm_clip(1)"])(
  "%s gives identical bytes in turns and in one go",
  async (text) => {
    const method = parseMethod(text);
    const sets = fc.array(fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 3, maxLength: 3 }), {
      minLength: 6,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(sets, async ([start, ...lists]) => {
        const base = sourceOfSet(floats(start as number[]));
        const members = lists.map((values, index) => ({ source: sourceOfSet(floats(values)), weight: index + 0.5 }));
        const atOnce = collectSet(base.tensors);
        const piecewise = collectSet(base.tensors);
        const { chosen } = aggregateSources(method, members, atOnce.sink, { base });
        expect((await inTurns(aggregatePieces(method, members, piecewise.sink, { base }))).chosen).toEqual(chosen);
        expect(piecewise.set).toEqual(atOnce.set);
      }),
      { numRuns: 20 },
    );
  },
);

function floats(values: readonly number[]): TensorSet {
  const data = new Uint8Array(Float32Array.from(values).buffer);
  return new Map([["weights", { dtype: "F32", shape: [values.length], data }]]);
}
