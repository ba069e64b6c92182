import { expect, test } from "vitest";
import { findMismatch, type JsonSchema } from "./json-schema.ts";

const point: JsonSchema = {
  type: "object",
  required: ["x"],
  properties: { x: { type: "integer", minimum: 0 }, tags: { type: "array", items: { type: "string" }, maxItems: 2 } },
  additionalProperties: false,
};
const schema: JsonSchema = { anyOf: [{ $ref: "#/point" }, { const: "none" }] };
const check = (value: unknown, wanted = schema) => findMismatch(wanted, value, () => point);

test("accepts values that the schema allows", () => {
  for (const value of ["none", { x: 0 }, { x: 3, tags: ["a", "b"] }]) expect(check(value)).toBeNull();
});

test("reports the position at which a value violates its schema", () => {
  expect(check({ x: -1 })).toContain("$.x: -1 is beyond 0");
  expect(check({ x: 1.5 })).toContain("$.x: not of type integer");
  expect(check({ tags: [] })).toContain("'x' is missing");
  expect(check({ x: 1, y: 2 })).toContain("'y' should not be here");
  expect(check({ x: 1, tags: ["a", 2] })).toContain("$.tags.1: not of type string");
  expect(check({ x: 1, tags: ["a", "b", "c"] })).toContain("3 is beyond 2");
  expect(check(null)).toContain("no variant fits");
});

test("checks field names against their schema", () => {
  const named: JsonSchema = { type: "object", propertyNames: { maxLength: 2 } };
  expect(check({ ab: 1 }, named)).toBeNull();
  expect(check({ abc: 1 }, named)).toContain("3 is beyond 2");
});

test("a field with the name of a prototype member is not treated as a described field", () => {
  expect(check({ x: 1, constructor: 2 }, point)).toContain("'constructor' should not be here");
});

test("throws if the schema has an unknown keyword", () => {
  expect(() => check(1, { multipleOf: 2 } as JsonSchema)).toThrow("'multipleOf'");
});

test("reports an item that occurs twice in a list of distinct items", () => {
  const list: JsonSchema = { type: "array", uniqueItems: true };
  expect(check(["a", "b"], list)).toBeNull();
  expect(check(["a", "a"], list)).toContain("$: an item occurs twice");
});
