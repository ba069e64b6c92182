import fc from "fast-check";
import { expect, test } from "vitest";
import { countOf } from "./select-round.ts";

test("rounds a fraction of participants up, without binary floating-point error", () => {
  expect(countOf(0.6, 5)).toBe(3);
  expect(countOf(0.61, 5)).toBe(4);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1000 }), (percent, all) => {
      // The expected value uses integer arithmetic, which is exact.
      expect(countOf(percent / 100, all)).toBe(Math.floor((percent * all + 99) / 100));
    }),
  );
});
