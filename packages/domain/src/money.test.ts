import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCents, formatUsd, NANO_PER_USD, parseUsd } from "./money.ts";

test.for([
  [0n, "0"],
  [1n, "0.000000001"],
  [125_000n, "0.000125"],
  [NANO_PER_USD, "1"],
  [1_500_000_000n, "1.5"],
  [-1n, "-0.000000001"],
  [-2_000_000_000n, "-2"],
  [9_223_372_036_854_775_807n, "9223372036.854775807"],
] as const)("formats %d nano-USD as %s", ([amount, text]) => {
  expect(formatUsd(amount)).toBe(text);
});

test("formats every amount exactly, without an exponent or a trailing zero", () => {
  fc.assert(
    fc.property(fc.bigInt(), (amount) => {
      const text = formatUsd(amount);
      expect(text).toMatch(/^-?\d+(\.\d{0,8}[1-9])?$/);
      const [whole = "", fraction = ""] = text.replace("-", "").split(".");
      const absolute = BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(9, "0"));
      expect(text.startsWith("-") ? -absolute : absolute).toBe(amount);
    }),
  );
});

test.for([
  [0n, "0.00"],
  [9_999_999n, "0.00"],
  [4_999_999_999n, "4.99"],
  [5_000_000_000n, "5.00"],
  [-1n, "-0.01"],
  [-10_000_000n, "-0.01"],
  [-15_000_000n, "-0.02"],
  [-1_234_567_890n, "-1.24"],
] as const)("formats %d nano-USD as %s, never as more than the amount", ([amount, text]) => {
  expect(formatCents(amount)).toBe(text);
});

test.for([
  ["0", 0n],
  ["0.0012", 1_200_000n],
  ["1.2e-3", 1_200_000n],
  ["3.4999E-9", 3n],
  ["3.5e-9", 4n],
  ["0.1234567895", 123_456_790n],
  ["12", 12n * NANO_PER_USD],
  ["-1", null],
  ["1e400", null],
  [".5", null],
  ["", null],
] as const)("parses %s USD as %s nano-USD", ([text, amount]) => {
  expect(parseUsd(text)).toBe(amount);
});

test("parses every formatted amount exactly", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), (amount) => {
      expect(parseUsd(formatUsd(amount))).toBe(amount);
    }),
  );
});
