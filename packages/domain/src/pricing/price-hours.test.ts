import { expect, test } from "vitest";
import { combineHours, hoursAt, type PriceHours } from "./price-hours.ts";

const peak: PriceHours = { name: "peak hours", timeZone: "Asia/Shanghai", days: [], fromMinute: 540, toMinute: 720 };
const night: PriceHours = { name: "night", timeZone: "America/New_York", days: [5], fromMinute: 1_320, toMinute: 360 };

test.for([
  ["2026-11-17T00:59:59Z", null],
  ["2026-11-17T01:00:00Z", "peak hours"],
  ["2026-11-17T03:59:59Z", "peak hours"],
  ["2026-11-17T04:00:00Z", null],
] as const)("09:00 to 12:00 in Shanghai: %s is in %s", ([at, name]) => {
  expect(hoursAt([peak], Date.parse(at))[0]?.name ?? null).toBe(name);
});

test.for([
  // New York is five hours behind UTC in November.
  ["2026-11-20T02:59:59Z", null],
  ["2026-11-21T03:00:00Z", "night"],
  ["2026-11-21T10:59:59Z", "night"],
  ["2026-11-21T11:00:00Z", null],
  ["2026-11-22T04:00:00Z", null],
  // In July, it is four hours behind.
  ["2026-07-18T02:00:00Z", "night"],
  ["2026-07-18T10:00:00Z", null],
] as const)("22:00 on Friday to 06:00 on Saturday in New York: %s is in %s", ([at, name]) => {
  expect(hoursAt([night], Date.parse(at))[0]?.name ?? null).toBe(name);
});

test("hours that can contain the same time are combined", () => {
  const range = (name: string, fromMinute: number, toMinute: number, days: readonly number[] = []): PriceHours => ({
    name,
    timeZone: "UTC",
    days,
    fromMinute,
    toMinute,
  });
  const namesOf = (hours: readonly PriceHours[]) =>
    combineHours(hours).map((set) => set.map(({ name }) => name).join("+"));
  expect(namesOf([range("a", 0, 60), range("b", 60, 120)])).toEqual(["", "a", "b"]);
  expect(namesOf([range("a", 0, 61), range("b", 60, 120)])).toEqual(["", "a", "b", "a+b"]);
  expect(namesOf([range("a", 0, 61, [1]), range("b", 60, 120, [2])])).toEqual(["", "a", "b"]);
  // A range that begins on Sunday night ends on Monday.
  expect(namesOf([range("a", 1_380, 60, [7]), range("b", 30, 120, [1])])).toEqual(["", "a", "b", "a+b"]);
  expect(namesOf([range("a", 0, 60), range("same", 0, 60)])).toEqual(["", "a"]);
  expect(namesOf([range("a", 0, 60), { ...range("b", 120, 180), timeZone: "Asia/Shanghai" }])).toContain("a+b");
  const many = Array.from({ length: 30 }, (_, index) => range("x", index, 1_000));
  expect(combineHours(many, 32)).toHaveLength(33);
});
