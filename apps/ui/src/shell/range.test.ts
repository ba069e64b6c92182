import { expect, test } from "vitest";
import { readRange, startOfDay } from "./range.ts";

const now = new Date("2026-11-12T14:05:00Z");

test("days begin where the zone's days begin", () => {
  expect(startOfDay("2026-11-12", "UTC").toISOString()).toBe("2026-11-12T00:00:00.000Z");
  expect(startOfDay("2026-11-12", "Asia/Kolkata").toISOString()).toBe("2026-11-11T18:30:00.000Z");
  expect(startOfDay("2026-11-12", "Asia/Kathmandu").toISOString()).toBe("2026-11-11T18:15:00.000Z");
  expect(startOfDay("2026-07-01", "America/St_Johns").toISOString()).toBe("2026-07-01T02:30:00.000Z");
});

test("the day of a clock change begins at its own midnight", () => {
  expect(startOfDay("2026-03-29", "Europe/Berlin").toISOString()).toBe("2026-03-28T23:00:00.000Z");
  expect(startOfDay("2026-03-30", "Europe/Berlin").toISOString()).toBe("2026-03-29T22:00:00.000Z");
  expect(startOfDay("2026-11-01", "America/New_York").toISOString()).toBe("2026-11-01T04:00:00.000Z");
});

test("fourteen days are today and the thirteen before it", () => {
  expect(readRange("14d", "UTC", now)).toMatchObject({ startDate: "2026-10-30T00:00:00.000Z", endDate: undefined });
});

test("chosen days include the last of them", () => {
  const range = readRange("2026-11-01..2026-11-02", "UTC", now);
  expect(range).toMatchObject({ startDate: "2026-11-01T00:00:00.000Z", endDate: "2026-11-03T00:00:00.000Z", hours: 48 });
});

test("an address somebody broke still shows something", () => {
  expect(readRange("nonsense", "UTC", now).hours).toBe(14 * 24);
});
