import { describe, expect, test } from "vitest";
import { readRetriesHeader, readSecondsHeader } from "./read-number-header.ts";

const problem = (type: string, msg: string) =>
  expect.objectContaining({ code: "validation_error", problems: [{ loc: ["header", "x-gw-h"], msg, type }] });

describe("a header that holds a number", () => {
  test("is null where it is absent, and the number otherwise", () => {
    expect(readSecondsHeader("x-gw-h", null)).toBe(null);
    expect(readSecondsHeader("x-gw-h", "0.25")).toBe(0.25);
    expect(readRetriesHeader("x-gw-h", null)).toBe(null);
    expect(readRetriesHeader("x-gw-h", "10")).toBe(10);
  });

  test.each(["", " ", "soon", "NaN"])("is refused as no number: '%s'", (value) => {
    const noNumber = problem("float_parsing", "Input should be a valid number");
    expect(() => readSecondsHeader("x-gw-h", value)).toThrowError(noNumber);
  });

  test.each(["", "two", "-1", "1.5"])("is refused as no count of retries: '%s'", (value) => {
    const noCount = problem("int_parsing", "Input should be a valid integer");
    expect(() => readRetriesHeader("x-gw-h", value)).toThrowError(noCount);
  });

  test("is refused beyond the bounds of the field of the body, which it names", () => {
    const tooLong = problem("less_than_equal", "Input should be less than or equal to 3600");
    expect(() => readSecondsHeader("x-gw-h", "3601")).toThrowError(tooLong);
    expect(() => readSecondsHeader("x-gw-h", "Infinity")).toThrowError(tooLong);
    const tooShort = problem("greater_than_equal", "Input should be greater than 0");
    expect(() => readSecondsHeader("x-gw-h", "0")).toThrowError(tooShort);
    const tooMany = problem("less_than_equal", "Input should be less than or equal to 10");
    expect(() => readRetriesHeader("x-gw-h", "11")).toThrowError(tooMany);
  });
});
