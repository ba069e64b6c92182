import { describe, expect, test } from "vitest";
import { hasPath, leaveOut } from "./leave-out.ts";

const without = (request: object, ...dropped: string[]) => {
  leaveOut(request, new Set(dropped));
  return request;
};

describe("leaveOut", () => {
  test("removes whole fields by name and nested fields by path", () => {
    expect(without({ a: 1, b: { c: 1, d: { e: 1, f: 2 } } }, "a", "b.d.e")).toEqual({ b: { c: 1, d: { f: 2 } } });
  });

  test("applies a path to every list item", () => {
    const tools = [{ function: { name: "a", strict: true } }, { function: { name: "b" } }];
    expect(without({ tools }, "tools.function.strict")).toEqual({
      tools: [{ function: { name: "a" } }, { function: { name: "b" } }],
    });
  });

  test("removes a field with a dot in its name and ignores missing paths", () => {
    expect(without({ "a.b": 1, a: { b: 2 } }, "a.b")).toEqual({ a: { b: 2 } });
    expect(without({ a: "text", b: null, c: 1 }, "a.length", "b.c", "d.e", "c.toString.x")).toEqual({
      a: "text",
      b: null,
      c: 1,
    });
  });

  test("does not change inherited properties", () => {
    without({}, "__proto__.toString", "constructor.prototype.toString");
    expect(String({})).toBe("[object Object]");
  });
});

test("hasPath reports whether a name is a path to a nested field", () => {
  expect(hasPath(new Set(["a", "b.c"]))).toBe(true);
  expect(hasPath(new Set(["a", "b"]))).toBe(false);
});
