import { expect, test } from "vitest";
import { parseUsd } from "./parse-usd.ts";

test("parses dollar amounts exactly or returns null", () => {
  expect(parseUsd("25")).toBe(25_000_000_000n);
  expect(parseUsd("$1,000.5")).toBe(1_000_500_000_000n);
  expect(parseUsd("0.000000001")).toBe(1n);
  for (const text of ["", "abc", "-5", "1e3", "0.0000000001", "NaN"]) expect(parseUsd(text)).toBeNull();
});
