import fc from "fast-check";
import { expect, test } from "vitest";
import { findCodeStep, makeCode, toBase32 } from "./one-time-code.ts";

// RFC 6238, appendix B, SHA-1 rows: the secret is these twenty characters, and the codes have eight digits.
const secret = Buffer.from("12345678901234567890");

test.for([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
] as const)("generates the code that the standard lists for second %i", ([seconds, code]) => {
  expect(makeCode(secret, new Date(seconds * 1_000), 8)).toBe(code);
  expect(makeCode(secret, new Date(seconds * 1_000))).toBe(code.slice(2));
});

test("accepts the code for the previous, current, or next step, and returns the step", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 2 ** 31 }), fc.integer({ min: -1, max: 1 }), (step, offset) => {
      const now = new Date((step * 30 + 15) * 1_000);
      const code = makeCode(secret, new Date((step + offset) * 30_000));
      // Two steps can have the same code by chance. In that case, the earlier step is found.
      const found = findCodeStep(secret, code, now);
      expect(makeCode(secret, new Date((found as number) * 30_000))).toBe(code);
      expect(Math.abs((found as number) - step)).toBeLessThanOrEqual(1);
    }),
  );
});

test("rejects a code two steps away and text that is not a code", () => {
  const now = new Date(1_700_000_000_000);
  for (const offset of [-2, 2]) {
    expect(findCodeStep(secret, makeCode(secret, new Date(now.getTime() + offset * 30_000)), now)).toBeNull();
  }
  for (const text of ["", "12345", "1234567", "abcdef", "12 456", "１２３４５６"]) {
    expect(findCodeStep(secret, text, now)).toBeNull();
  }
});

test.for([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
] as const)("encodes %j in base32 as the standard does", ([text, spelt]) => {
  expect(toBase32(Buffer.from(text))).toBe(spelt);
});
