import fc from "fast-check";
import { expect, test } from "vitest";
import { parsePeriod, windowAt } from "./budget-window.ts";

const moment = fc.integer({ min: Date.UTC(1970, 0, 5), max: Date.UTC(2200, 0) });
const repeating = fc.oneof(
  fc.constantFrom("daily", "weekly", "monthly"),
  fc
    .tuple(fc.integer({ min: 1, max: 999_999 }), fc.constantFrom("s", "m", "h", "d"))
    .map(([count, unit]) => `${count}${unit}`),
  fc.integer({ min: 1, max: 2_000 }).map((count) => `${count}mo`),
);

test.for([
  ["daily", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"],
  ["weekly", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"],
  ["monthly", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"],
  ["90s", "2026-11-15T13:46:30Z", "2026-11-15T13:48:00Z"],
  ["15m", "2026-11-15T13:45:00Z", "2026-11-15T14:00:00Z"],
  ["6h", "2026-11-15T12:00:00Z", "2026-11-15T18:00:00Z"],
  ["1d", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"],
  ["7d", "2026-11-12T00:00:00Z", "2026-11-19T00:00:00Z"],
  ["3mo", "2026-10-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ["12mo", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"],
] as const)("a %s budget has a window from %s to %s", ([period, startsAt, endsAt]) => {
  expect(windowAt(parsePeriod(period), Date.parse("2026-11-15T13:47:11.250Z"))).toEqual({
    startsAtMs: Date.parse(startsAt),
    endsAtMs: Date.parse(endsAt),
  });
});

test("a budget without a period has one unlimited window", () => {
  fc.assert(
    fc.property(moment, (atMs) => {
      expect(windowAt(parsePeriod("none"), atMs)).toEqual({ startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY });
    }),
  );
});

test("every timestamp lies in its window", () => {
  fc.assert(
    fc.property(repeating, moment, (text, atMs) => {
      const { startsAtMs, endsAtMs } = windowAt(parsePeriod(text), atMs);
      expect(startsAtMs).toBeLessThanOrEqual(atMs);
      expect(endsAtMs).toBeGreaterThan(atMs);
    }),
  );
});

test("windows are contiguous, and every timestamp in a window maps to that window", () => {
  fc.assert(
    fc.property(repeating, moment, fc.double({ min: 0, max: 1, noNaN: true }), (text, atMs, share) => {
      const period = parsePeriod(text);
      const window = windowAt(period, atMs);
      const inside = window.startsAtMs + Math.floor((window.endsAtMs - 1 - window.startsAtMs) * share);
      expect(windowAt(period, inside)).toEqual(window);
      expect(windowAt(period, window.endsAtMs).startsAtMs).toBe(window.endsAtMs);
      expect(windowAt(period, window.startsAtMs - 1).endsAtMs).toBe(window.startsAtMs);
    }),
  );
});

test("weeks start on Monday and months on their first day, both at midnight UTC", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 1, max: 24 }), (atMs, count) => {
      const week = new Date(windowAt(parsePeriod("weekly"), atMs).startsAtMs);
      const months = new Date(windowAt(parsePeriod(`${count}mo`), atMs).startsAtMs);
      expect([week.getUTCDay(), week.getTime() % 86_400_000]).toEqual([1, 0]);
      expect([months.getUTCDate(), months.getTime() % 86_400_000]).toEqual([1, 0]);
      expect(((months.getUTCFullYear() - 1970) * 12 + months.getUTCMonth()) % count).toBe(0);
    }),
  );
});

test.for(["", "never", "0s", "1000000s", "1w", "1 d", "d", "-1d", "1mo "])("%j is not a valid period", (text) => {
  expect(() => parsePeriod(text)).toThrow("is not a budget period");
});
