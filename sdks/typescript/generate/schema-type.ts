/** As much of a JSON schema as makes a type. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly "x-amount"?: true;
}

/** `inference`: both ways of the inference wire, where clients meet fields that only some models have. */
type Side = "request" | "answer" | "inference";

/** The type in TypeScript of what a schema lets through. */
export function typeOf(schema: Schema, side: Side): string {
  if (schema["x-amount"] === true) return "bigint | number | string";
  if (schema.type === "integer" && schema.description === "nano-USD") return "bigint";
  if (side === "inference" && schema.format === "int64") return "bigint";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((variant) => typeOf(variant, side)))].join(" | ");
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {}, side)})[]`;
  if (schema.type === "string") return "string";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "null") return "null";
  if (schema.type === "integer" || schema.type === "number") return "number";
  const values = Object.values(schema.patternProperties ?? {})[0] ?? valuesOf(schema);
  if (schema.properties !== undefined && values === undefined) return objectType(schema, side);
  return schema.type === "object"
    ? `Readonly<Record<string, ${values === undefined ? "unknown" : typeOf(values, side)}>>`
    : "unknown";
}

/** Of an object whose names are not known, what all its values are. */
function valuesOf({ properties = {}, additionalProperties }: Schema): Schema | undefined {
  const isMap = Object.keys(properties).length === 0 && typeof additionalProperties === "object";
  return isMap ? (additionalProperties as Schema) : undefined;
}

function objectType(schema: Schema, side: Side): string {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    // A default makes a field of a request optional; an answer has it always.
    const isOptional = !schema.required?.includes(name) || (side === "request" && member.default !== undefined);
    return `readonly ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${isOptional ? "?" : ""}: ${typeOf(member, side)}`;
  });
  const isOpen = side !== "answer" && schema.additionalProperties === true;
  const others = isOpen ? ["readonly [name: string]: unknown"] : [];
  return `{ ${[...members, ...others].join("; ")} }`;
}
