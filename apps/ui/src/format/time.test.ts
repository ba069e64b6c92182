import { expect, it } from "vitest";
import { formatRelative } from "./time.ts";

const now = new Date("2026-11-12T14:05:00Z");
const ago = (seconds: number) => formatRelative(new Date(now.getTime() - seconds * 1_000), now);

it("formats past times in short units, and as a date after a month", () => {
  expect([2, 38, 150, 36_000].map(ago)).toEqual(["just now", "38 s ago", "2 min ago", "10 h ago"]);
  expect([86_400, 3 * 86_400, 40 * 86_400].map(ago)).toEqual(["yesterday", "3 days ago", "3 Oct 2026"]);
});

it("formats future times", () => {
  expect([-20, -150, -3 * 86_400].map(ago)).toEqual(["in 20 s", "in 2 min", "in 3 days"]);
});
