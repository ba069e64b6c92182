import { describe, expect, test } from "vitest";
import { readRetriesHeader, readSecondsHeader } from "./read-call.ts";

const problem = (type: string, msg: string) =>
  expect.objectContaining({ code: "validation_error", problems: [{ loc: ["header", "x-gw-h"], msg, type }] });

describe("a numeric header", () => {
  test("is read as a number, or as null if absent", () => {
    expect(readSecondsHeader("x-gw-h", null)).toBe(null);
    expect(readSecondsHeader("x-gw-h", "0.25")).toBe(0.25);
    expect(readRetriesHeader("x-gw-h", null)).toBe(null);
    expect(readRetriesHeader("x-gw-h", "10")).toBe(10);
  });

  test.each(["", " ", "soon", "NaN"])("is rejected if it is not a number: '%s'", (value) => {
    const noNumber = problem("float_parsing", "Input should be a valid number");
    expect(() => readSecondsHeader("x-gw-h", value)).toThrowError(noNumber);
  });

  test.each(["", "two", "-1", "1.5"])("is rejected if it is not a retry count: '%s'", (value) => {
    const noCount = problem("int_parsing", "Input should be a valid integer");
    expect(() => readRetriesHeader("x-gw-h", value)).toThrowError(noCount);
  });

  test("is rejected if it is outside the bounds of the body field", () => {
    const tooLong = problem("less_than_equal", "Input should be less than or equal to 3600");
    expect(() => readSecondsHeader("x-gw-h", "3601")).toThrowError(tooLong);
    expect(() => readSecondsHeader("x-gw-h", "Infinity")).toThrowError(tooLong);
    const tooShort = problem("greater_than_equal", "Input should be greater than 0");
    expect(() => readSecondsHeader("x-gw-h", "0")).toThrowError(tooShort);
    const tooMany = problem("less_than_equal", "Input should be less than or equal to 10");
    expect(() => readRetriesHeader("x-gw-h", "11")).toThrowError(tooMany);
  });
});
