import { expect, it } from "vitest";
import { formatClock, formatRelative, formatTime } from "./time.ts";

const now = new Date("2026-11-12T14:05:00Z");
const ago = (seconds: number) => formatRelative(new Date(now.getTime() - seconds * 1_000), now);

it("formats past times in short units, and as a date after a month", () => {
  expect([2, 38, 150, 36_000].map(ago)).toEqual(["just now", "38 s ago", "2 min ago", "10 h ago"]);
  expect([86_400, 3 * 86_400, 40 * 86_400].map(ago)).toEqual(["yesterday", "3 days ago", "3 Oct 2026"]);
});

it("formats future times", () => {
  expect([-20, -150, -3 * 86_400].map(ago)).toEqual(["in 20 s", "in 2 min", "in 3 days"]);
});

it("formats a timestamp in its zone, as precisely as asked", () => {
  const at = "2026-11-12T20:04:05.678Z";
  expect(formatTime(at, "day", "Asia/Tokyo")).toBe("13 Nov 2026");
  expect(formatTime(at, "minute", "Asia/Tokyo")).toBe("13 Nov 2026, 05:04");
  expect(formatTime(at, "second", "America/Los_Angeles")).toBe("12 Nov 2026, 12:04:05");
  expect(formatTime(at, "millisecond", "UTC")).toBe("12 Nov 2026, 20:04:05.678");
});

it("formats midnight as 00, and the time of day in its zone", () => {
  expect(formatTime("2026-11-12T15:00:00Z", "minute", "Asia/Tokyo")).toBe("13 Nov 2026, 00:00");
  expect(formatClock("2026-11-12T15:00:01.002Z", "Asia/Tokyo")).toBe("00:00:01");
  expect(formatClock("2026-11-12T15:00:01.002Z", "Asia/Tokyo", 3)).toBe("00:00:01.002");
});

it("a date after a month is the date in its zone", () => {
  expect(formatRelative("2026-09-02T02:00:00Z", now, "America/New_York")).toBe("1 Sept 2026");
});
