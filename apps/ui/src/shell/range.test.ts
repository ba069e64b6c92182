import { expect, test } from "vitest";
import { readRange } from "./range.ts";

const now = new Date("2026-11-15T19:07:00Z");

test("days start and end at midnight in the time zone", () => {
  expect(readRange("2026-11-01..2026-11-02", "Asia/Kathmandu", now)).toEqual({
    label: "2026-11-01 to 2026-11-02",
    startDate: "2026-10-31T18:15:00.000Z",
    endDate: "2026-11-02T18:15:00.000Z",
    hours: 48,
  });
});

test("two timestamps form a range", () => {
  expect(readRange("2026-11-12T10:00:00.000Z..2026-11-12T14:00:00.000Z", "UTC", now)).toEqual({
    label: "12 Nov, 10:00 to 12 Nov, 14:00",
    startDate: "2026-11-12T10:00:00.000Z",
    endDate: "2026-11-12T14:00:00.000Z",
    hours: 4,
  });
});

test("an invalid range, such as a date that does not exist, becomes the default", () => {
  const usual = readRange("14d", "UTC", now);
  for (const text of ["2026-13-45..2026-13-46", "2026-11-12T99:00Z..2026-11-12T14:00Z", "ever"]) {
    expect(readRange(text, "UTC", now)).toMatchObject({ startDate: usual.startDate, endDate: undefined });
  }
});

test("a range of recent days covers whole days in the time zone, including today, and has an open end", () => {
  // In Auckland, it is already the 16th.
  expect(readRange("7d", "Pacific/Auckland", now)).toEqual({
    label: "Last 7 days",
    startDate: "2026-11-09T11:00:00.000Z",
    endDate: undefined,
    hours: 168,
  });
});

test("the length of a day accounts for clock changes", () => {
  expect(readRange("2026-10-25..2026-10-25", "Europe/Berlin", now).hours).toBe(25);
  expect(readRange("2026-03-29..2026-03-29", "Europe/Berlin", now).hours).toBe(23);
});

test("a range of recent hours ends now", () => {
  expect(readRange("24h", "UTC", now)).toMatchObject({ startDate: "2026-11-14T19:07:00.000Z", endDate: undefined });
});

test("a range up to today has an open end", () => {
  expect(readRange("2026-11-10..2026-11-15", "UTC", now)).toMatchObject({ endDate: undefined, hours: 144 });
});

test("the day of a clock change starts at local midnight", () => {
  expect(readRange("2026-03-29..2026-03-29", "Europe/Berlin", now)).toMatchObject({
    startDate: "2026-03-28T23:00:00.000Z",
    endDate: "2026-03-29T22:00:00.000Z",
    hours: 23,
  });
  expect(readRange("2026-11-01..2026-11-01", "America/New_York", now)).toMatchObject({
    startDate: "2026-11-01T04:00:00.000Z",
    endDate: "2026-11-02T05:00:00.000Z",
  });
});
