import fc from "fast-check";
import { expect, test } from "vitest";
import { RestingConnections } from "./resting-connections.ts";

const REST_MS = 10;
const connection = (name: number) => ({ name, restsSinceMs: 0 });

test("the one that rested least is taken first, and none before its time", () => {
  const resting = new RestingConnections<ReturnType<typeof connection>>(REST_MS);
  resting.add(connection(1), 100);
  resting.add(connection(2), 105);
  expect(resting.take(109)).toBeUndefined();
  resting.add(connection(3), 112);
  expect(resting.take(116)?.name).toBe(2);
  expect(resting.take(116)?.name).toBe(1);
  expect(resting.take(116)).toBeUndefined();
  expect(resting.take(122)?.name).toBe(3);
});

test("what nobody took for long is given up, oldest first", () => {
  const resting = new RestingConnections<ReturnType<typeof connection>>(REST_MS);
  for (let index = 0; index < 4; index += 1) resting.add(connection(index), index * 100);
  expect(resting.takeOlderThan(150, 1_000).map(({ name }) => name)).toEqual([0, 1]);
  expect(resting.takeAll().map(({ name }) => name)).toEqual([2, 3]);
  expect(resting.take(5_000)).toBeUndefined();
});

test("whatever comes and goes, none is lost, taken twice, or taken too early", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("add", "take"), fc.nat(15)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (moves) => {
      const resting = new RestingConnections<ReturnType<typeof connection>>(REST_MS);
      const there = new Set<number>();
      let nowMs = 1_000;
      let next = 0;
      for (const [move, passedMs] of moves) {
        nowMs += passedMs;
        if (move === "add") {
          there.add(next);
          resting.add(connection(next), nowMs);
          next += 1;
          continue;
        }
        const taken = resting.take(nowMs);
        if (taken === undefined) continue;
        expect(there.delete(taken.name)).toBe(true);
        expect(nowMs - taken.restsSinceMs).toBeGreaterThanOrEqual(REST_MS);
      }
      expect(new Set(resting.takeAll().map(({ name }) => name))).toEqual(there);
    }),
  );
});
