import { expect, test } from "vitest";
import { previousRange } from "./previous-range.ts";

const before = (from: string, to: string, zone = "UTC") => {
  const range = previousRange({ from: new Date(from), to: new Date(to) }, zone);
  return [range.from.toISOString(), range.to.toISOString()];
};

test("compares days with the same number of previous days, and a partial day with the same part of the earlier day", () => {
  expect(before("2026-11-02T00:00:00.000Z", "2026-11-15T19:15:00.000Z")).toEqual([
    "2026-10-19T00:00:00.000Z",
    "2026-11-01T19:15:00.000Z",
  ]);
  expect(before("2026-11-02T00:00:00.000Z", "2026-11-16T00:00:00.000Z")).toEqual([
    "2026-10-19T00:00:00.000Z",
    "2026-11-02T00:00:00.000Z",
  ]);
});

test("a range that starts during a day is compared with the range right before it", () => {
  expect(before("2026-11-02T06:00:00.000Z", "2026-11-05T06:00:00.000Z")).toEqual([
    "2026-10-30T06:00:00.000Z",
    "2026-11-02T06:00:00.000Z",
  ]);
});

test("days start at midnight in the time zone, even across a clock change", () => {
  // In Berlin, October 25, 2026 has 25 hours. October 24 starts at 22:00 UTC, and October 26 at 23:00 UTC.
  expect(before("2026-10-23T22:00:00.000Z", "2026-10-26T23:00:00.000Z", "Europe/Berlin")).toEqual([
    "2026-10-20T22:00:00.000Z",
    "2026-10-23T22:00:00.000Z",
  ]);
  expect(before("2026-10-25T23:00:00.000Z", "2026-10-28T23:00:00.000Z", "Europe/Berlin")).toEqual([
    "2026-10-22T22:00:00.000Z",
    "2026-10-25T23:00:00.000Z",
  ]);
});

test("compares hours with previous whole hours", () => {
  expect(before("2026-11-14T19:15:00.000Z", "2026-11-15T19:30:00.000Z")).toEqual([
    "2026-11-13T18:15:00.000Z",
    "2026-11-14T18:30:00.000Z",
  ]);
});
