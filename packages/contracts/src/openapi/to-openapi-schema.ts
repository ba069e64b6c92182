import type { TSchema } from "typebox";
import { namedSchemas } from "./named-schemas.ts";

export type JsonObject = { readonly [name: string]: unknown };

const nameOf = new Map<unknown, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

/** A schema as the description prints it: named parts become references. */
export function toOpenApiSchema(schema: TSchema): JsonObject {
  const name = nameOf.get(schema);
  return name === undefined ? copyMembers(schema) : { $ref: `#/components/schemas/${name}` };
}

/** The named schemas themselves, for the components of the description. */
export function describeNamedSchemas(): JsonObject {
  return Object.fromEntries(Object.entries(namedSchemas).map(([name, schema]) => [name, copyMembers(schema)]));
}

function copyMembers(schema: object): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, copyMember(key, value)]));
}

function copyMember(key: string, value: unknown): unknown {
  // Our schemas name the field that picks a variant; OpenAPI wants it inside an object.
  if (key === "discriminator" && typeof value === "string") return { propertyName: value };
  return copy(value);
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  return toOpenApiSchema(value);
}
