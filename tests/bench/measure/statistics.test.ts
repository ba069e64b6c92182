import { expect, test } from "vitest";
import { mediansByName, quantile, spreadOf } from "./statistics.ts";

test("a quantile is interpolated between its two neighbors", () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([10], 0.25)).toBe(10);
  expect(quantile([0, 100], 0.99)).toBe(99);
});

test("one outlier slice does not move the median", () => {
  expect(spreadOf([0.8, 0.81, 0.79, 0.8, 0.1]).median).toBe(0.8);
});

test("medians by name count a missing value as zero", () => {
  const records: Record<string, number>[] = [{ main: 4, journal: 1 }, { main: 2 }, { main: 9 }];
  expect(mediansByName(records)).toEqual({ main: 4, journal: 0 });
  expect(mediansByName([])).toEqual({});
});
