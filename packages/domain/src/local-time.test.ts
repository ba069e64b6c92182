import { expect, test } from "vitest";
import { isTimeZone, listLocalDays, listLocalHours, startOfLocalDay } from "./local-time.ts";

const at = (text: string): number => Date.parse(text);
const shown = (marks: readonly { atMs: number; label: string }[]) =>
  marks.map(({ atMs, label }) => `${label} ${new Date(atMs).toISOString().slice(0, 16)}`);

test("days start at local midnight, and the first day starts at the requested time", () => {
  expect(shown(listLocalDays("Asia/Kathmandu", at("2026-01-01T00:00Z"), at("2026-01-02T18:16Z")))).toEqual([
    "2026-01-01 2026-01-01T00:00",
    "2026-01-02 2026-01-01T18:15",
    "2026-01-03 2026-01-02T18:15",
  ]);
});

test("a day with a clock change has more or fewer hours, even if the change is at midnight", () => {
  expect(shown(listLocalDays("Europe/Prague", at("2026-10-24T22:00Z"), at("2026-10-26T23:00Z")))).toEqual([
    "2026-10-25 2026-10-24T22:00",
    "2026-10-26 2026-10-25T23:00",
  ]);
  // In Cairo, the last hour of a day repeats in autumn, and the first hour of a day is skipped in spring.
  expect(shown(listLocalDays("Africa/Cairo", at("2025-10-29T21:00Z"), at("2025-10-31T22:00Z")))).toEqual([
    "2025-10-30 2025-10-29T21:00",
    "2025-10-31 2025-10-30T22:00",
  ]);
  expect(shown(listLocalDays("Africa/Cairo", at("2026-04-22T22:00Z"), at("2026-04-24T21:00Z")))).toEqual([
    "2026-04-23 2026-04-22T22:00",
    "2026-04-24 2026-04-23T22:00",
  ]);
});

test("hour buckets start on the local hour, and a new bucket starts at a clock change within an hour", () => {
  expect(shown(listLocalHours("Asia/Kolkata", at("2026-01-01T00:00Z"), at("2026-01-01T01:00Z")))).toEqual([
    "2025-12-31T23:30:00.000Z 2026-01-01T00:00",
    "2026-01-01T00:30:00.000Z 2026-01-01T00:30",
  ]);
  expect(
    listLocalHours("Australia/Lord_Howe", at("2026-04-04T14:00Z"), at("2026-04-04T17:00Z")).map(({ label }) => label),
  ).toEqual([
    "2026-04-04T14:00:00.000Z",
    "2026-04-04T15:00:00.000Z",
    "2026-04-04T15:30:00.000Z",
    "2026-04-04T16:30:00.000Z",
  ]);
});

test("finds a day by its date, and returns the next day for a date that the zone skipped", () => {
  expect(startOfLocalDay("America/St_Johns", "2026-07-01")).toBe(at("2026-07-01T02:30Z"));
  expect(startOfLocalDay("UTC", "2026-07-01")).toBe(at("2026-07-01T00:00Z"));
  expect(startOfLocalDay("Pacific/Apia", "2011-12-30")).toBe(at("2011-12-30T10:00Z"));
});

test("a time zone is valid if the runtime supports its name", () => {
  expect(["UTC", "Europe/Prague", "Mars/Olympus", ""].map(isTimeZone)).toEqual([true, true, false, false]);
});
