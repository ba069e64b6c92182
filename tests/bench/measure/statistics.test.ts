import { expect, test } from "vitest";
import { quantile, spreadOf } from "./statistics.ts";

test("a quantile is interpolated between its two neighbors", () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([10], 0.25)).toBe(10);
  expect(quantile([0, 100], 0.99)).toBe(99);
});

test("one outlier slice does not move the median", () => {
  expect(spreadOf([0.8, 0.81, 0.79, 0.8, 0.1]).median).toBe(0.8);
});
