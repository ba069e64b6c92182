import { expect, test } from "vitest";
import { SliceSize } from "./slice-size.ts";

const BALANCE = 1_000_000_000_000n;

/** Observes spend at this rate for some seconds, and returns the time and the total. */
function spend(size: SliceSize, from: { atMs: number; charged: bigint }, perSecond: bigint, seconds: number) {
  let { atMs, charged } = from;
  for (let second = 0; second < seconds; second += 1) {
    atMs += 1_000;
    charged += perSecond;
    size.observe(atMs, charged, 0n);
  }
  return { atMs, charged };
}

test("keeps thirty seconds of recent spend ahead", () => {
  const size = new SliceSize();
  size.observe(0, 0n, 0n);
  spend(size, { atMs: 0, charged: 0n }, 1_000n, 30);
  expect(Number(size.target(BALANCE, 1))).toBeGreaterThan(29_000);
  expect(Number(size.target(BALANCE, 1))).toBeLessThanOrEqual(30_000);
});

test("after fifteen seconds in which no call was served, a lease still lasts for fifteen seconds", () => {
  const size = new SliceSize();
  size.observe(0, 0n, 0n);
  const busy = spend(size, { atMs: 0, charged: 0n }, 1_000n, 30);
  spend(size, busy, 0n, 15);
  expect(Number(size.target(BALANCE, 1))).toBeGreaterThan(15_000);
});

test("the spend of a burst is forgotten after a few minutes", () => {
  const size = new SliceSize();
  size.observe(0, 0n, 0n);
  const busy = spend(size, { atMs: 0, charged: 0n }, 1_000n, 10);
  spend(size, busy, 0n, 180);
  expect(Number(size.target(BALANCE, 1))).toBeLessThan(100);
});
