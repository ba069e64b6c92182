import type { JsonSchema, Resolve } from "@tollgate/testkit/json-schema.ts";

/** Placeholder for a lure. */
export const LURE = "@@lure@@";

const MAX_DEPTH = 12;
/** Names of fields whose URLs some libraries fetch automatically. */
const followed = ["url", "$ref", "api_base", "server_url", "model", "file_id", "x"];

/**
 * Returns values for a schema, each with a lure in one position. Together they cover every position, including
 * positions that expect a type other than text.
 */
export function plantEverywhere(schema: JsonSchema, resolve: Resolve, depth = 0): unknown[] {
  if (depth > MAX_DEPTH) return [];
  const inner = (part: JsonSchema) => plantEverywhere(part, resolve, depth + 1);
  if (schema.$ref !== undefined) return plantEverywhere(resolve(schema.$ref), resolve, depth + 1);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.flatMap(inner);
  switch (typeOf(schema)) {
    case "object": {
      const members = Object.entries(schema.properties ?? {});
      const least = leastOf(schema, resolve) as Record<string, unknown>;
      const planted = members.flatMap(([name, part]) => inner(part).map((value) => ({ ...least, [name]: value })));
      if (schema.additionalProperties === false) return planted;
      const others = followed.filter((name) => schema.properties?.[name] === undefined);
      return [...planted, ...others.map((name) => ({ ...least, [name]: LURE })), { ...least, [LURE]: "x" }];
    }
    case "array":
      return inner(schema.items ?? {}).map((value) => [value]);
    case "null":
      return [];
    default:
      return [LURE];
  }
}

/** Returns the smallest value that matches a schema. */
function leastOf(schema: JsonSchema, resolve: Resolve): unknown {
  if (schema.$ref !== undefined) return leastOf(resolve(schema.$ref), resolve);
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return leastOf(variants[0] as JsonSchema, resolve);
  switch (typeOf(schema)) {
    case "object": {
      const needed = (schema.required ?? []).map((name) => [name, leastOf(schema.properties?.[name] ?? {}, resolve)]);
      return Object.fromEntries(needed);
    }
    case "array":
      return (schema.minItems ?? 0) > 0 ? [leastOf(schema.items ?? {}, resolve)] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "a";
  }
}

function typeOf(schema: JsonSchema): string | undefined {
  return typeof schema.type === "string" ? schema.type : schema.type?.[0];
}
