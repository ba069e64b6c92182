import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDecimal, parseUsdPerTokenToPico } from "./parse-usd.ts";

const digits = fc.bigInt({ min: 0n, max: 10n ** 24n });

describe("parseUsdPerTokenToPico", () => {
  test.each([
    ["2.5e-06", 2_500_000n],
    ["0.0000025", 2_500_000n],
    ["1e-05", 10_000_000n],
    ["1E-12", 1n],
    ["0.000000000001", 1n],
    ["1.10e-11", 11n],
    ["0", 0n],
    ["0e-40", 0n],
    [".5", 500_000_000_000n],
    ["3.", 3_000_000_000_000n],
    ["+1e-6", 1_000_000n],
    // This number has no exact double representation, so the test would detect a float conversion.
    ["0.000000900719925475", { kind: "too-fine" }],
    ["9007199254740993e-12", 9_007_199_254_740_993n],
    ["1e-13", { kind: "too-fine" }],
    ["1.0000000000001e-12", { kind: "too-fine" }],
    ["", { kind: "malformed" }],
    [".", { kind: "malformed" }],
    ["-1", { kind: "malformed" }],
    ["1e", { kind: "malformed" }],
    ["0x10", { kind: "malformed" }],
    ["free", { kind: "malformed" }],
    ["1e999", { kind: "malformed" }],
  ])("parses %j", (text, expected) => {
    const outcome = typeof expected === "bigint" ? { kind: "exact", value: expected } : expected;
    expect(parseUsdPerTokenToPico(text)).toEqual(outcome);
  });

  test("parses prices in any notation without losing precision", () => {
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 24 }), (pico, places) => {
        // The same amount as a plain decimal, and with the decimal point shifted by an exponent.
        const padded = pico.toString().padStart(places + 1, "0");
        const text = `${padded.slice(0, padded.length - places)}.${padded.slice(padded.length - places)}`;
        expect(parseUsdPerTokenToPico(`${text}e${places - 12}`)).toEqual({ kind: "exact", value: pico });
      }),
    );
  });
});

test("a decimal is exact if and only if it is a multiple of the smallest unit", () => {
  const decimals = fc.integer({ min: 0, max: 12 });
  const exponents = fc.integer({ min: -30, max: 12 });
  fc.assert(
    fc.property(digits, decimals, exponents, (mantissa, places, exponent) => {
      const outcome = parseDecimal(`${mantissa}e${exponent}`, places);
      const scaled = mantissa * 10n ** BigInt(places + 30 + exponent);
      const unit = 10n ** 30n;
      const expected = scaled % unit === 0n ? { kind: "exact", value: scaled / unit } : { kind: "too-fine" };
      expect(outcome).toEqual(expected);
    }),
  );
});
