import { expect, test } from "vitest";
import { weightedMedian } from "./weighted-median.ts";

test("a model with most of the calls decides the median", () => {
  const values = [
    { value: 900, weight: 1 },
    { value: 200, weight: 98 },
    { value: 50, weight: 1 },
  ];
  expect(weightedMedian(values)).toBe(200);
});

test("nothing has no median", () => {
  expect(weightedMedian([])).toBeNull();
  expect(weightedMedian([{ value: 5, weight: 0 }])).toBeNull();
});
