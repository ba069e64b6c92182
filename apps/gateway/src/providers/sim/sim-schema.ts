import { makeTokens } from "./sim-text.ts";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly minimum?: number;
  readonly minItems?: number;
}

const MAX_DEPTH = 16;

/** A value that is valid for a JSON Schema, the same for the same seed. Without a schema, a small object. */
export function makeSchemaValue(schema: unknown, seed: number, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return depth === 0 ? { answer: "ok" } : null;
  const { type, const: constant, enum: options, properties, items, anyOf, minimum, minItems } = schema as JsonSchema;
  if (constant !== undefined) return constant;
  if (options !== undefined && options.length > 0) return options[seed % options.length];
  if (anyOf !== undefined && anyOf.length > 0) return makeSchemaValue(anyOf[0], seed, depth + 1);
  const kind = typeof type === "string" ? type : type?.[0];
  switch (kind) {
    case "string":
      return makeTokens(2, seed).join("");
    case "integer":
    case "number":
      return Math.max(minimum ?? 0, seed % 100);
    case "boolean":
      return seed % 2 === 0;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Math.max(1, minItems ?? 1) }, (_, index) =>
        makeSchemaValue(items, seed + index, depth + 1),
      );
    default:
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, member], index) => [
          name,
          makeSchemaValue(member, seed + index + 1, depth + 1),
        ]),
      );
  }
}
