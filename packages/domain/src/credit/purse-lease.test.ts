import { expect, test } from "vitest";
import type { PurseAnswer } from "./lease-messages.ts";
import { PurseLease } from "./purse-lease.ts";

const plenty: PurseAnswer = { granted: 0n, returned: 0n, free: 10_000n, balance: 10_000n, mode: "slices", recall: 0 };

test.for([
  ["all it asked for", 200n, 100n],
  ["less than half of it", 60n, 30n],
] as const)("after a grant of %s, it requests a refill when half of that is used", ([, granted, refillBelow]) => {
  const purse = busyPurse();
  purse.settle({ ...plenty, granted }, false, 20, 1);
  expect(purse.idle).toBe(granted);
  expect(purse.refillBelow).toBe(refillBelow);
});

test("holds at most half of its node's share of the balance as idle credit", () => {
  const purse = busyPurse();
  purse.settle({ ...plenty, balance: 400n }, false, 20, 4);
  expect(purse.compose(21, 21, 4).slice).toBe(50n);
});

test("reports the largest hold until a request with it succeeds", () => {
  const purse = busyPurse();
  expect(purse.compose(20, 20, 1).largestHold).toBe(100n);
  purse.takeBackRequest();
  expect(purse.compose(30, 30, 1).largestHold).toBe(100n);
  purse.settle(plenty, false, 40, 1);
  expect(purse.compose(50, 50, 1).largestHold).toBe(0n);
});

test("ignores an old recall of an allowance with enough credit, and responds to a new one", () => {
  const purse = busyPurse();
  purse.settle({ ...plenty, recall: 7 }, false, 20, 1);
  expect(purse.owesRecall).toBe(false);
  purse.settle({ ...plenty, granted: 50n, recall: 8, mode: "exact" }, false, 30, 1);
  expect(purse.owesRecall).toBe(true);
  expect(purse.compose(40, 40, 1)).toMatchObject({ returned: 50n, recallSeen: 8, slice: 0n });
  purse.settle({ ...plenty, granted: 50n, returned: 50n, recall: 8, mode: "exact" }, false, 50, 1);
  expect(purse.owesRecall).toBe(false);
});

function busyPurse(): PurseLease {
  const purse = new PurseLease({ kind: "credit" }, true);
  purse.see(100n, 1);
  purse.see(80n, 2);
  return purse;
}
