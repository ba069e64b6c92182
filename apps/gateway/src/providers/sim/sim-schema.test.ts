import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSchemaValue } from "./sim-schema.ts";

type Json = Record<string, unknown>;
const bounds = fc
  .integer({ min: -500, max: 500 })
  .chain((minimum) => fc.integer({ min: minimum, max: minimum + 300 }).map((maximum) => ({ minimum, maximum })));
const schema = fc.letrec<{ node: Json; object: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(
      { type: "string" },
      { type: "boolean" },
      { type: "null" },
      { const: "x" },
      { enum: [1, "a", null] },
    ),
    fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([least, more]) => ({ type: "string", minLength: least, maxLength: least + more })),
    fc.tuple(fc.constantFrom("integer", "number"), bounds).map(([type, range]) => ({ type, ...range })),
    fc.constantFrom<Json>(
      { type: ["string", "null"] },
      { type: "integer", minimum: 0.5 },
      { type: "number", exclusiveMinimum: 3 },
    ),
    tie("object"),
    fc.tuple(tie("node"), fc.nat(3), fc.nat(3)).map(([items, least, more]) => ({
      type: "array",
      items,
      minItems: least,
      maxItems: least + more,
    })),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
  object: fc
    .dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie("node"), { maxKeys: 4, noNullPrototype: true })
    .map((properties) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
}));

describe("simulated JSON value", () => {
  test("matches its schema", () => {
    fc.assert(
      fc.property(schema.object, fc.nat(), (given, seed) => {
        const value = makeSchemaValue(given, seed);
        expect(compileCheck(given)(value), JSON.stringify(value)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("stays small for a schema with recursive references", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      required: ["root"],
      $defs: {
        node: {
          type: "object",
          properties: { value: { type: "integer" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
          required: ["value", "next"],
        },
      },
    };
    const value = makeSchemaValue(tree, 1) as { root: { value: number } };
    expect(value.root.value).toBeTypeOf("number");
    expect(JSON.stringify(value).length).toBeLessThan(2_000);
  });

  test("is the same for the same seed and different for different seeds", () => {
    const given = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } };
    expect(makeSchemaValue(given, 5)).toEqual(makeSchemaValue(given, 5));
    expect(makeSchemaValue(given, 5)).not.toEqual(makeSchemaValue(given, 6));
  });

  test("is a small object if the request has no schema", () => {
    for (const none of [undefined, null, "text", 7]) expect(makeSchemaValue(none, 1)).toEqual({ answer: "ok" });
  });

  test("has bounded size for a deeply nested schema", () => {
    let deep: Json = { type: "string" };
    for (let depth = 0; depth < 500; depth += 1) deep = { type: "array", items: deep };
    expect(JSON.stringify(makeSchemaValue(deep, 1)).length).toBeLessThan(1_000);
  });
});
