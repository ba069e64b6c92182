import { describe, expect, test } from "vitest";
import { fitSchema, type Schema } from "./fit-schema.ts";

const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
const closed = { ...point, additionalProperties: false };

describe("enforceable schema", () => {
  test.for<[string, Schema, Schema]>([
    ["has closed objects", point, closed],
    [
      "has closed objects at every level",
      { type: "object", properties: { list: { type: "array", items: point } }, $defs: { p: point } },
      {
        type: "object",
        properties: { list: { type: "array", items: closed } },
        $defs: { p: closed },
        additionalProperties: false,
      },
    ],
    [
      "describes constraints that are not enforced",
      { type: "string", description: "A code.", minLength: 3, pattern: "^a", format: "isbn" },
      { type: "string", description: 'A code.\nminLength: 3\npattern: "^a"\nformat: "isbn"' },
    ],
    ["keeps formats that are enforced", { type: "string", format: "date" }, { type: "string", format: "date" }],
    ["has only anyOf alternatives", { oneOf: [point, { type: "null" }] }, { anyOf: [closed, { type: "null" }] }],
    [
      "keeps references and enumerations",
      { $ref: "#/$defs/p", $defs: { p: { enum: ["a", 1] } } },
      { $ref: "#/$defs/p", $defs: { p: { enum: ["a", 1] } } },
    ],
    [
      "keeps a member with any name",
      { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"}}') },
      {
        type: "object",
        properties: JSON.parse('{"__proto__":{"type":"string"}}'),
        additionalProperties: false,
      },
    ],
  ])("%s", ([, schema, fitted]) => {
    expect(JSON.stringify(sorted(fitSchema(schema)))).toBe(JSON.stringify(sorted(fitted)));
  });
});

describe("fitSchema returns null for", () => {
  const list = { type: "object", properties: { next: { $ref: "#/$defs/list" } } };
  test.for<[string, Schema]>([
    ["an object with arbitrary members", { type: "object" }],
    ["a union with an object with arbitrary members", { type: ["object", "null"] }],
    ["a map", { type: "object", properties: { m: { type: "object", additionalProperties: { type: "number" } } } }],
    ["members by pattern", { type: "object", properties: {}, patternProperties: { "^a": {} } }],
    ["a recursive definition", { $ref: "#/$defs/list", $defs: { list } }],
    ["a reference to its own root", { type: "object", properties: { self: { $ref: "#" } } }],
    ["an external reference", { $ref: "https://example.com/schema" }],
    ["a reference without a target", { $ref: "#/$defs/absent" }],
    ["both kinds of alternatives", { anyOf: [point], oneOf: [point] }],
    ["an invalid schema", { type: "object", properties: [1] }],
    ["alternatives that aren't a list", { anyOf: { a: point } }],
  ])("%s", ([, schema]) => {
    expect(fitSchema(schema)).toBeNull();
  });

  test("a schema that is nested too deeply", () => {
    let deep: Schema = { type: "string" };
    for (let depth = 0; depth < 70; depth += 1) deep = { type: "array", items: deep };
    expect(fitSchema(deep)).toBeNull();
  });
});

test("fitSchema checks each definition only once, even if several references lead to it", () => {
  const $defs: Record<string, Schema> = { d0: { type: "string" } };
  for (let index = 1; index < 40; index += 1) {
    $defs[`d${index}`] = { anyOf: [{ $ref: `#/$defs/d${index - 1}` }, { $ref: `#/$defs/d${index - 1}` }] };
  }
  expect(fitSchema({ $ref: "#/$defs/d20", $defs })).not.toBeNull();
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]);
}
