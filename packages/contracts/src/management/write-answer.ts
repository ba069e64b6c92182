import type { TSchema } from "typebox";

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/**
 * Serializes a response to JSON. The schema is an allowlist: fields that it doesn't name are not written, even if the
 * handler returned them. Amounts are bigint, which `JSON.stringify` can't write, so their digits are written directly.
 */
export function writeAnswer(schema: TSchema, value: unknown): string {
  return write(schema as Schema, value) ?? "null";
}

function write(schema: Schema, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return "null";
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (typeof value !== "object") return JSON.stringify(value);
  const fitting = schema.anyOf === undefined ? schema : pick(schema.anyOf, value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(fitting.items ?? {}, item) ?? "null").join(",")}]`;
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const described = describe(fitting, name);
    const text = described === null ? undefined : write(described, member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(",")}}`;
}

/** Picks the variant that has the most fields in common with the value. Arrays match only array variants. */
function pick(shapes: readonly Schema[], value: object): Schema {
  const kind = Array.isArray(value) ? "array" : "object";
  const fitting = shapes.filter((shape) => shape.type === kind || shape.properties !== undefined);
  const names = Object.keys(value);
  const shared = (shape: Schema) => names.filter((name) => describe(shape, name) !== null).length;
  return fitting.toSorted((one, other) => shared(other) - shared(one))[0] ?? {};
}

function describe(schema: Schema, name: string): Schema | null {
  const known = schema.properties?.[name];
  if (known !== undefined) return known;
  const pattern = Object.entries(schema.patternProperties ?? {}).find(([key]) => new RegExp(key).test(name));
  if (pattern !== undefined) return pattern[1];
  const others = schema.additionalProperties;
  if (others === undefined || others === false)
    return schema.type === undefined && schema.properties === undefined ? {} : null;
  return others === true ? {} : others;
}
