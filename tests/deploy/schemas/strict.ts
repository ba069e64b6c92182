import type { Schema } from "./schema.ts";

/**
 * Returns the schema with unknown fields forbidden. The API server only drops unknown fields, so a misspelled probe or
 * budget would otherwise go unnoticed until it is needed.
 */
export function makeStrict(schema: Schema): Schema {
  if (schema.format === "int-or-string" || schema["x-kubernetes-int-or-string"] === true) {
    return { type: ["string", "integer"] };
  }
  const properties = schema.properties as Record<string, Schema> | undefined;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    ...schema,
    ...(properties && {
      properties: mapValues(properties, makeStrict),
      ...(schema.additionalProperties === undefined && !isOpen && { additionalProperties: false }),
    }),
    ...(isSchema(schema.items) && { items: makeStrict(schema.items) }),
    ...(isSchema(schema.additionalProperties) && { additionalProperties: makeStrict(schema.additionalProperties) }),
  };
}

export function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
