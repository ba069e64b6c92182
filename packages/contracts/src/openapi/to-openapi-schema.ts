import type { TSchema } from "typebox";

export type JsonObject = { readonly [name: string]: unknown };

/** Writes the schemas for one OpenAPI document. */
export interface SchemaWriter {
  /** Converts a schema to OpenAPI. Named schemas inside it become references. */
  write(schema: TSchema): JsonObject;
  /** Returns the named schemas for the document's components. */
  describeNamed(): JsonObject;
}

/** Creates a schema writer. Named schemas are recognized by object identity. */
export function createSchemaWriter(named: Readonly<Record<string, TSchema>>): SchemaWriter {
  const nameOf = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

  function write(schema: TSchema): JsonObject {
    const name = nameOf.get(schema);
    return name === undefined ? copyMembers(schema) : { $ref: `#/components/schemas/${name}` };
  }

  function copyMembers(schema: object): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, copyMember(key, value)]));
  }

  function copyMember(key: string, value: unknown): unknown {
    // Our schemas store the discriminator field as a string, but OpenAPI requires an object.
    if (key === "discriminator" && typeof value === "string") return { propertyName: value };
    return copy(value);
  }

  function copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== "object" || value === null) return value;
    return write(value);
  }

  return {
    write,
    describeNamed: () => Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, copyMembers(schema)])),
  };
}
