import { expect, test } from "vitest";
import { dayRuler, shortTimestamp } from "./day-ruler.ts";
import { type Burn, describeRunway, readRunway } from "./runway-reading.ts";

const burn: Burn = {
  perDay: 18_040_000_000n,
  timezone: "UTC",
  balance: 214_371_826_400n,
  runway: "days",
  daysLeft: 11.883,
  emptyAt: "2026-11-24T11:00:00Z",
  lowAt: "2026-11-17T11:00:00Z",
  blockedSince: null,
  pendingPurchases: [],
};

test("a healthy balance is shown as solid until seven days are left", () => {
  const runway = readRunway(burn);
  expect(runway).toMatchObject({ state: "healthy", days: "11.9 days", withPending: null });
  expect(runway.lasts).toBeCloseTo(11.883 / 30, 6);
  expect(runway.solid).toBeCloseTo(4.883 / 30, 6);
});

test("a balance that will last less than seven days is labeled low, and no part of the meter is solid", () => {
  expect(readRunway({ ...burn, daysLeft: 4.5 })).toMatchObject({ state: "low", solid: 0, days: "4.5 days, low" });
});

test("the blocked state takes precedence, and the description states that requests are refused", () => {
  const blocked = { ...burn, balance: -420_000_000n, daysLeft: 0, blockedSince: "2026-11-27T14:02:00Z" };
  expect(readRunway(blocked)).toMatchObject({ state: "blocked", lasts: 0, days: "Blocked" });
  expect(describeRunway(blocked)).toBe("Balance −$0.42. Requests are refused.");
});

test("a pending purchase extends only the pending part of the meter, not the runway", () => {
  const runway = readRunway({ ...burn, pendingPurchases: [{ id: "ord_9QX4", amount: 100_000_000_000n }] });
  expect(runway.lasts).toBeCloseTo(11.883 / 30, 6);
  expect(runway.withPending).toBeCloseTo(17.426 / 30, 4);
});

test("omits the number of days if there is no spend, and shows an empty state if there is no balance", () => {
  expect(readRunway({ ...burn, perDay: 0n, runway: "no_spend", daysLeft: null })).toMatchObject({
    state: "unspent",
    solid: 1,
    days: "No spend",
  });
  expect(readRunway({ ...burn, balance: 0n, perDay: 0n, runway: "no_spend", daysLeft: null })).toMatchObject({
    state: "empty",
    lasts: 0,
  });
});

test("a runway of more than a year is not shown as no spend", () => {
  const long = { ...burn, runway: "over_a_year", daysLeft: null, emptyAt: null } as const;
  expect(readRunway(long)).toMatchObject({ state: "healthy", solid: 1, lasts: 1, days: "More than a year" });
  expect(describeRunway(long)).toBe("Balance $214.37, more than a year left at $18.04 per day.");
});

test("a balance beyond the meter's range fills the meter exactly", () => {
  expect(readRunway({ ...burn, daysLeft: 412.7 })).toMatchObject({ lasts: 1, days: "412 days" });
});

test("the description contains the balance, days left, burn rate, and end date", () => {
  expect(describeRunway(burn)).toBe("Balance $214.37, 11.9 days left at $18.04 per day, until 24 Nov 2026.");
});

test("the ruler has one tick per day, with dates in the given time zone", () => {
  const now = new Date("2026-11-12T20:00:00Z");
  const ticks = dayRuler(now, 30, "UTC");
  expect(ticks).toHaveLength(31);
  expect(ticks.filter(({ isMajor }) => isMajor).map(({ label }) => label)).toEqual([
    "Today",
    "17 Nov",
    "22 Nov",
    "27 Nov",
    "2 Dec",
    "7 Dec",
    "12 Dec",
  ]);
  expect(dayRuler(now, 30, "Asia/Kathmandu")[5]?.label).toBe("18 Nov");
  expect(shortTimestamp("2026-11-24T11:00:00Z", "UTC")).toBe("24 Nov, 11:00");
});
