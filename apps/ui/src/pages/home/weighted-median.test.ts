import { expect, test } from "vitest";
import { weightedMedian } from "./weighted-median.ts";

test("the model with the most requests determines the median", () => {
  const values = [
    { value: 900, weight: 1 },
    { value: 200, weight: 98 },
    { value: 50, weight: 1 },
  ];
  expect(weightedMedian(values)).toBe(200);
});

test("empty input has no median", () => {
  expect(weightedMedian([])).toBeNull();
  expect(weightedMedian([{ value: 5, weight: 0 }])).toBeNull();
});
