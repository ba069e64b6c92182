import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("the output is equivalent JSON and independent of field order", () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, shuffled(member)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("different names, values, or list orders produce different output", () => {
  const texts = [{ a: 1 }, { b: 1 }, { a: "1" }, { a: [1, 2] }, { a: [2, 1] }, { a: null }, {}].map(canonicalJson);
  expect(new Set(texts).size).toBe(texts.length);
});
