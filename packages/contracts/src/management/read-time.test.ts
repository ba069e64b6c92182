import { describe, expect, test } from "vitest";
import { readTime, readTimeRange } from "./read-time.ts";

test.for([
  ["2026-11-14", "2026-11-14T00:00:00.000Z"],
  ["2026-11-14T10:00:00Z", "2026-11-14T10:00:00.000Z"],
  ["2026-11-14t10:00:00.5z", "2026-11-14T10:00:00.500Z"],
  ["2026-11-14T10:00:00+05:30", "2026-11-14T04:30:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
] as const)("reads the timestamp %s", ([text, time]) => {
  expect(readTime("at", text).toISOString()).toBe(time);
});

test.for([
  "",
  "soon",
  "2026",
  "2026-11",
  "2026-13-01",
  "2026-02-30",
  "2025-02-29T00:00:00Z",
  "2026-11-14T10:00:00",
  "2026-11-14T25:00:00Z",
  "14 Nov 2026",
  "1731578400000",
])("rejects the timestamp %j", (text) => {
  expect(() => readTime("at", text)).toThrow("at must be a time");
});

describe("a time range", () => {
  test("of dates includes the whole last day", () => {
    expect(readTimeRange({ startDate: "2026-11-14", endDate: "2026-11-14" })).toEqual({
      from: new Date("2026-11-14T00:00:00Z"),
      until: new Date("2026-11-15T00:00:00Z"),
    });
  });

  test("of timestamps excludes its end", () => {
    expect(readTimeRange({ endDate: "2026-11-14T10:00:00Z" })).toEqual({
      from: null,
      until: new Date("2026-11-14T10:00:00Z"),
    });
  });

  test("cannot end before it starts", () => {
    expect(() => readTimeRange({ startDate: "2026-11-15", endDate: "2026-11-14" })).toThrow("after endDate");
    expect(readTimeRange({ startDate: "2026-11-14T23:00:00Z", endDate: "2026-11-14" }).from).not.toBeNull();
    expect(() => readTimeRange({ startDate: "2026-11-15", endDate: "2026-11-14T00:00:00Z" })).toThrow("after endDate");
  });
});
