import type { JsonSchema, Resolve } from "@tollgate/testkit/json-schema.ts";
import fc from "fast-check";

/** Maximum depth, which is deeper than any published schema, so that only recursive schemas are cut off. */
const MAX_DEPTH = 16;
const MAX_SIZE = 3;

/** Generates values that match a schema. They are small, and sometimes exactly at a limit. */
export function valuesOf(schema: JsonSchema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema) => valuesOf(part, resolve, depth + 1);
  if (schema.$ref !== undefined) return valuesOf(resolve(schema.$ref), resolve, depth);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return fc.oneof(...variants.map(inner));
  switch (typeof schema.type === "string" ? schema.type : schema.type?.[0]) {
    case "string":
      return strings(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.min(schema.maxItems ?? MAX_SIZE, minLength + MAX_SIZE);
      return depth > MAX_DEPTH ? fc.constant([]) : fc.array(inner(schema.items ?? {}), { minLength, maxLength });
    }
    case "object":
      return objects(schema, inner, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function strings({ pattern, minLength = 0, maxLength = 64 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, "u"));
  return fc.string({ minLength, maxLength: Math.min(maxLength, 64), unit: "grapheme" });
}

function objects(
  schema: JsonSchema,
  inner: (part: JsonSchema) => fc.Arbitrary<unknown>,
  depth: number,
): fc.Arbitrary<unknown> {
  const required = schema.required ?? [];
  const members = Object.entries(schema.properties ?? {});
  // Include each optional field one time in eight. Otherwise, every request would fail on one of its forty fields.
  const parts = members.map(([name, part]) => {
    const value = depth > MAX_DEPTH ? fc.constant(null) : inner(part);
    if (required.includes(name)) return value;
    return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  });
  const known = fc.tuple(...parts).map((values) => {
    const entries = members.map(([name], index) => [name, values[index]] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  });
  const others = schema.additionalProperties;
  if (typeof others !== "object" || depth > MAX_DEPTH) return known;
  const extra = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), inner(others), { maxKeys: MAX_SIZE });
  return fc.tuple(known, extra).map(([one, other]) => ({ ...other, ...one }));
}
