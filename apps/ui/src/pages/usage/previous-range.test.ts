import { expect, test } from "vitest";
import { previousRange } from "./previous-range.ts";

test("compares days with the same number of previous days, and a partial day with the same part of the earlier day", () => {
  const range = { startDate: "2026-11-02T00:00:00.000Z", endDate: "2026-11-15T19:15:00.000Z" };
  expect(previousRange(range, "day", "UTC")).toEqual({
    startDate: "2026-10-19T00:00:00.000Z",
    endDate: "2026-11-01T19:15:00.000Z",
  });
});

test("days start at midnight in the time zone, even across a clock change", () => {
  // In Berlin, October 26, 2026 is the first full day of standard time. It starts at 23:00 UTC, and the day before
  // starts at 22:00 UTC.
  const range = { startDate: "2026-10-25T23:00:00.000Z", endDate: "2026-10-26T23:00:00.000Z" };
  expect(previousRange(range, "day", "Europe/Berlin").startDate).toBe("2026-10-24T22:00:00.000Z");
});

test("compares hours with previous whole hours", () => {
  const range = { startDate: "2026-11-14T19:15:00.000Z", endDate: "2026-11-15T19:30:00.000Z" };
  expect(previousRange(range, "hour", "UTC").startDate).toBe("2026-11-13T18:15:00.000Z");
});
