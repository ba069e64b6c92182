import { expect, test } from "vitest";
import { AllowanceLease } from "./hold.ts";
import type { AllowanceState } from "./lease-messages.ts";

const plenty: AllowanceState = {
  granted: 0n,
  returned: 0n,
  free: 10_000n,
  balance: 10_000n,
  mode: "slices",
  recall: 0,
};

test.for([
  ["all it asked for", 200n, 100n],
  ["less than half of it", 60n, 30n],
] as const)(
  "after a grant of %s, the lease requests a refill when half of the grant is used",
  ([, granted, refillBelow]) => {
    const allowance = busyAllowance();
    allowance.settle({ ...plenty, granted }, false, 20, 1);
    expect(allowance.idle).toBe(granted);
    expect(allowance.refillBelow).toBe(refillBelow);
  },
);

test("keeps at most half of its node's share of the balance as idle credit", () => {
  const allowance = busyAllowance();
  allowance.settle({ ...plenty, balance: 400n }, false, 20, 4);
  expect(allowance.compose(21, 21, 4).slice).toBe(50n);
});

test("reports the largest hold until a request that contains it succeeds", () => {
  const allowance = busyAllowance();
  expect(allowance.compose(20, 20, 1).largestHold).toBe(100n);
  allowance.takeBackRequest();
  expect(allowance.compose(30, 30, 1).largestHold).toBe(100n);
  allowance.settle(plenty, false, 40, 1);
  expect(allowance.compose(50, 50, 1).largestHold).toBe(0n);
});

test("ignores an old recall of an allowance with enough credit, and answers a new one with its next request", () => {
  const allowance = busyAllowance();
  allowance.settle({ ...plenty, granted: 50n, recall: 7 }, false, 20, 1);
  expect(allowance.compose(25, 25, 1)).toMatchObject({ recallSeen: 0 });
  allowance.settle({ ...plenty, granted: 50n, recall: 8, mode: "exact" }, false, 30, 1);
  expect(allowance.owesRecall).toBe(false);
  expect(allowance.compose(40, 40, 1)).toMatchObject({ returned: 50n, recallSeen: 8, slice: 0n });
  allowance.settle({ ...plenty, granted: 50n, returned: 50n, recall: 8, mode: "exact" }, false, 50, 1);
  expect(allowance.owesRecall).toBe(false);
});

test("answers a recall that asks it even if it has nothing to return", () => {
  const allowance = busyAllowance();
  allowance.settle({ ...plenty, recall: 8, mode: "exact" }, false, 20, 1);
  allowance.recallAsked = 8;
  expect(allowance.owesRecall).toBe(true);
  expect(allowance.compose(30, 30, 1)).toMatchObject({ returned: 0n, recallSeen: 8 });
  allowance.settle({ ...plenty, recall: 8, mode: "exact" }, false, 40, 1);
  allowance.settle({ ...plenty, granted: 50n, returned: 50n, recall: 8, mode: "exact" }, false, 50, 1);
  expect(allowance.owesRecall).toBe(false);
});

function busyAllowance(): AllowanceLease {
  const allowance = new AllowanceLease({ kind: "credit" }, true);
  allowance.see(100n, 1);
  allowance.see(80n, 2);
  return allowance;
}
