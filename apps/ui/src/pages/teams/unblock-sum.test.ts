import { expect, test } from "vitest";
import { lastsFor, neededToUnblock } from "./unblock-sum.ts";

test("the required amount is rounded up to the cent, so that paying it unblocks the team", () => {
  expect(neededToUnblock(-420_000_000n)).toBe(420_000_000n);
  expect(neededToUnblock(-420_000_001n)).toBe(430_000_000n);
  expect(neededToUnblock(0n)).toBe(0n);
});

test("the debt is subtracted from the amount before the duration is estimated", () => {
  expect(lastsFor(50_000_000_000n, -5_000_000_000n, 18_000_000_000n)).toBe("2.5 days");
  expect(lastsFor(50_000_000_000n, 0n, 50_000_000_000n)).toBe("1 day");
  expect(lastsFor(50_000_000_000n, -60_000_000_000n, 1n)).toBe("not enough");
});
