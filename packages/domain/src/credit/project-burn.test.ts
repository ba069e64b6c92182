import { expect, test } from "vitest";
import { projectBurn } from "./project-burn.ts";

const USD = 1_000_000_000n;
const now = new Date("2026-11-12T12:00:00Z");
const week = (cost: bigint, today = 0n) => [...Array.from({ length: 7 }, () => cost), today];

test("projects the runway from the mean of seven whole days, regardless of today's cost", () => {
  const reported = projectBurn(week(2n * USD, 99n * USD), 400, 24n * USD, now);
  expect(reported).toEqual({
    perDay: 2n * USD,
    daysLeft: 12,
    emptyAt: new Date("2026-11-24T12:00:00Z"),
    lowAt: new Date("2026-11-17T12:00:00Z"),
  });
});

test("averages a three-day-old organization's spend over three days", () => {
  const costs = [0n, 0n, 0n, 0n, 3n * USD, 3n * USD, 3n * USD, 0n];
  expect(projectBurn(costs, 3, 6n * USD, now)).toMatchObject({ perDay: 3n * USD, daysLeft: 2 });
});

test("returns no projection without a whole day, without spend, or beyond ten years", () => {
  const unknown = { daysLeft: null, emptyAt: null, lowAt: null };
  expect(projectBurn([0n, USD], 0, USD, now)).toEqual({ perDay: 0n, ...unknown });
  expect(projectBurn(week(0n), 30, USD, now)).toEqual({ perDay: 0n, ...unknown });
  expect(projectBurn(week(1n), 30, 3_651n, now)).toEqual({ perDay: 1n, ...unknown });
});

test("with a negative balance, the credit is exhausted now", () => {
  expect(projectBurn(week(USD), 30, -5n * USD, now)).toMatchObject({ daysLeft: 0, emptyAt: now });
});
