import { expect, test } from "vitest";
import { type Entry, foldUsage } from "./ledger-rows.ts";

const entry = (id: string, kind: Entry["kind"], createdAt: string, amount: bigint, balanceAfter: bigint): Entry => ({
  id,
  kind,
  amount,
  balanceAfter,
  reference: null,
  description: null,
  createdAt,
  usd: {},
});

const entries = [
  entry("e6", "usage", "2026-11-12T01:00:00Z", -5n, 60n),
  entry("e5", "usage", "2026-11-11T23:30:00Z", -4n, 65n),
  entry("e4", "usage", "2026-11-11T22:00:00Z", -3n, 69n),
  entry("e3", "purchase", "2026-11-11T12:00:00Z", 50n, 72n),
  entry("e2", "usage", "2026-11-11T11:00:00Z", -8n, 22n),
  entry("e1", "grant", "2026-11-10T00:00:00Z", 30n, 30n),
];

test("usage of one day is one line until something else moves the balance", () => {
  const rows = foldUsage(entries, "UTC");
  expect(rows.map(({ id, entries: count, amount }) => [id, count, amount])).toEqual([
    ["e6", 1, -5n],
    ["e5", 2, -7n],
    ["e3", 1, 50n],
    ["e2", 1, -8n],
    ["e1", 1, 30n],
  ]);
  expect(rows[1]).toMatchObject({ from: "2026-11-11T22:00:00Z", until: "2026-11-11T23:30:00Z", balanceAfter: 65n });
});

test("a day is a day of the zone", () => {
  const lines = foldUsage(entries, "Europe/Berlin").map(({ id, entries: count }) => [id, count]);
  // In Berlin it is the 12th from 23:00 UTC on.
  expect(lines).toEqual([
    ["e6", 2],
    ["e4", 1],
    ["e3", 1],
    ["e2", 1],
    ["e1", 1],
  ]);
});

test("every balance is the one of the line below plus the line's own amount", () => {
  const rows = foldUsage(entries, "Asia/Kathmandu");
  for (const [index, row] of rows.entries()) {
    expect(row.balanceAfter).toBe((rows[index + 1]?.balanceAfter ?? 0n) + row.amount);
  }
});
