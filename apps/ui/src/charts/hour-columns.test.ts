import { expect, test } from "vitest";
import { hourColumns } from "./chart-column.ts";

const hoursOf = (start: string, end: string) => hourColumns(start, end, "UTC").map(({ short }) => short);

test("every hour of the range has a column, the last one included", () => {
  expect(hoursOf("2026-11-12T10:00:00Z", "2026-11-12T13:00:00Z")).toEqual(["10:00", "11:00", "12:00"]);
});

test("an hour that has only started has a column, too", () => {
  expect(hoursOf("2026-11-12T10:30:00Z", "2026-11-12T12:05:00Z")).toEqual(["10:00", "11:00", "12:00"]);
});
