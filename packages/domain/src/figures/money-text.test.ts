import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatExactMoney, formatMoney, formatMoneyColumn, formatMoneyWith } from "./money-text.ts";

const anyAmount = fc.oneof(
  fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
  fc.bigInt({ min: -20_000_000n, max: 20_000_000n }),
);

/** Parses a formatted amount back to nano-USD. */
function parse(text: string): bigint {
  const [, sign, whole = "", fraction = ""] = /^(−?)\$([\d,]+)(?:\.(\d+))?$/.exec(text) ?? [];
  const size = BigInt(whole.replaceAll(",", "")) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
  return sign === "−" ? -size : size;
}

describe("an amount", () => {
  test("has two decimals from one dollar, and three significant digits below", () => {
    const amounts = [0n, 1n, 690_000n, 58_880_000n, 5_000_000n, 420_000_000n, 999_999_999n, 238_312_887_040n];
    expect(amounts.map(formatMoney)).toEqual([
      "$0.00",
      "$0.000000001",
      "$0.00069",
      "$0.0589",
      "$0.005",
      "$0.42",
      "$1.00",
      "$238.31",
    ]);
    expect(formatMoney(-12_345_678_000_000_000n)).toBe("−$12,345,678.00");
  });

  test("is never shown as zero unless it is zero", () => {
    fc.assert(
      fc.property(anyAmount, fc.integer({ min: 0, max: 9 }), (amount, decimals) => {
        expect(/[1-9]/.test(formatMoney(amount))).toBe(amount !== 0n);
        expect(/[1-9]/.test(formatMoneyWith(amount, decimals))).toBe(amount !== 0n);
        expect(/[1-9]/.test(formatMoneyColumn([amount])(amount))).toBe(amount !== 0n);
      }),
    );
  });

  test("is rounded by half a percent at most", () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const error = parse(formatMoney(amount)) - amount;
        const size = amount < 0n ? -amount : amount;
        expect((error < 0n ? -error : error) * 200n <= size).toBe(true);
      }),
    );
  });

  test("keeps its order with other amounts", () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, (one, other) => {
        const [lower, higher] = one < other ? [one, other] : [other, one];
        expect(parse(formatMoney(lower)) <= parse(formatMoney(higher))).toBe(true);
      }),
    );
  });

  test("has all digits in its exact text", () => {
    expect([0n, 1n, 4_999_991_000n].map(formatExactMoney)).toEqual(["$0.00", "$0.000000001", "$4.999991"]);
    fc.assert(fc.property(anyAmount, (amount) => parse(formatExactMoney(amount)) === amount));
  });
});

test("the amounts of a column have the same number of decimals", () => {
  const amounts = [5_000_000_000n, 12_340_000n, 0n];
  expect(amounts.map(formatMoneyColumn(amounts))).toEqual(["$5.0000", "$0.0123", "$0.0000"]);
  expect([1n, -1n, 1_000_000_000n].map(formatMoneyColumn([1n]))).toEqual(["<$0.000001", ">−$0.000001", "$1.000000"]);
  expect([500_000_000_000n, 0n].map(formatMoneyColumn([]))).toEqual(["$500.00", "$0.00"]);
});
