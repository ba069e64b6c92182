import { expect, test } from "vitest";
import { capShare } from "./cap-share.ts";

test("a cap counts as reached only when its last nano-USD is spent", () => {
  const cap = 25_000_000_000n;
  expect(capShare(cap, cap)).toBe(1);
  expect(capShare(cap + 30_000_000n, cap)).toBe(1);
  expect(capShare(cap - 1n, cap)).toBeLessThan(1);
});

test("the share is correct for amounts beyond double precision", () => {
  const cap = 90_071_992_547_409_930n; // The cap is ten times 2^53 + 1.
  expect(capShare(cap / 2n, cap)).toBe(0.5);
});

test("a cap of zero always counts as reached, and a negative spend has a share of zero", () => {
  expect(capShare(0n, 0n)).toBe(1);
  expect(capShare(-5n, 10n)).toBe(0);
});
