import { expect, test } from "vitest";
import { LeaseBook } from "./lease-registry.ts";

const MINUTE_MS = 60_000;

test("heartbeats check organizations in use in turn, remove long-quiet ones, and skip the others", () => {
  const book = new LeaseBook();
  for (let number = 0; number < 25_000; number += 1) touch(book, number, 0);
  const looks: number[] = [];
  for (let beat = 0; beat < 4; beat += 1) looks.push(maintain(book, 31_000 + beat));
  // None of them has idle credit, so the check of a quiet one is the last.
  expect(looks).toEqual([0, 0, 0, 0]);
  expect(book.size).toBe(25_000);

  touch(book, 7, 5 * MINUTE_MS);
  for (let beat = 0; beat < 3; beat += 1) maintain(book, 11 * MINUTE_MS + beat);
  expect(book.size).toBe(1);
  expect(book.find("org_7")).toBeDefined();
});

test("returns the idle credit of many quiet organizations within a few heartbeats", () => {
  const book = new LeaseBook();
  for (let number = 0; number < 25_000; number += 1) touch(book, number, 0).idle = 5n;
  const moved = [0, 1, 2].map((beat) => maintain(book, 31_000 + beat));
  expect(moved.every((count) => count <= 10_000)).toBe(true);
  expect(moved[0] ?? 0).toBe(10_000);
  expect(moved.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(25_000);
});

function touch(book: LeaseBook, number: number, nowMs: number) {
  const organization = book.open(`org_${number}`, { epoch: 1, outages: 0 });
  organization.credit.see(5n, nowMs);
  book.touch(organization, organization.credit);
  return organization.credit;
}

/** Runs one round and returns how many allowances it reported for moving. */
function maintain(book: LeaseBook, nowMs: number): number {
  let moved = 0;
  book.maintain({ nowMs, wallMs: nowMs, liveNodes: 1 }, () => {
    moved += 1;
  });
  return moved;
}
