import { expect, test } from "vitest";
import { readRange } from "./report-range.ts";

const NOW = new Date("2026-11-19T03:52:10Z");
const endOf = (endDate?: string) =>
  readRange({ startDate: "2026-11-18T00:00:00Z", ...(endDate !== undefined && { endDate }) }, NOW).to.toISOString();

test("a range without an end includes the current quarter hour", () => {
  expect(endOf()).toBe("2026-11-19T04:00:00.000Z");
  expect(readRange({}, new Date("2026-11-19T04:00:00Z")).to.toISOString()).toBe("2026-11-19T04:15:00.000Z");
});

test("an end is exclusive, also if it is in the future", () => {
  expect(endOf("2026-11-19T04:00:00Z")).toBe("2026-11-19T04:00:00.000Z");
  expect(endOf("2026-11-19T03:55:00Z")).toBe("2026-11-19T04:00:00.000Z");
  expect(endOf("2026-11-19T03:20:00Z")).toBe("2026-11-19T03:20:00.000Z");
});
