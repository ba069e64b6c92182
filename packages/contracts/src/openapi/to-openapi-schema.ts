import type { TSchema } from "typebox";
import { namedSchemas } from "./named-schemas.ts";

export type JsonObject = { readonly [name: string]: unknown };

/** Prints schemas of one description. */
export interface SchemaWriter {
  /** A schema as the description prints it: named parts become references. */
  write(schema: TSchema): JsonObject;
  /** The named schemas themselves, for the components of the description. */
  describeNamed(): JsonObject;
}

/** Schemas are recognised by identity, so only the object that has the name is printed by it. */
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
    // Our schemas name the field that picks a variant; OpenAPI wants it inside an object.
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

const gateway = createSchemaWriter(namedSchemas);

/** A schema as the description of the gateway prints it. */
export const toOpenApiSchema = gateway.write;

/** The named schemas of the gateway's description. */
export const describeNamedSchemas = gateway.describeNamed;
