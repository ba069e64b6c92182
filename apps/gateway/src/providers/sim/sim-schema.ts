import { makeTokens } from "./sim-text.ts";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const MAX_DEPTH = 16;
/** Depth beyond which the generator chooses a schema's null variant, if it has one, to end the recursion. */
const DEEP = 6;
/** Size limits for a generated value, for schemas that require very large values. */
const MAX_ITEMS = 100;
const MAX_CHARACTERS = 10_000;

/**
 * Creates a value that matches a JSON schema. The same seed gives the same value. Without a schema, creates a small
 * object.
 */
export function makeSchemaValue(schema: unknown, seed: number): unknown {
  return isSchema(schema) ? makeValue(schema, schema, seed, 0) : { answer: "ok" };
}

function makeValue(root: JsonSchema, schema: unknown, seed: number, depth: number): unknown {
  if (!isSchema(schema) || depth > MAX_DEPTH) return null;
  const make = (inner: unknown, innerSeed: number) => makeValue(root, inner, innerSeed, depth + 1);
  const { $ref, const: constant, enum: options, properties, items } = schema;
  if ($ref !== undefined) return make(resolve(root, $ref), seed);
  if (constant !== undefined) return constant;
  if (options !== undefined && options.length > 0) return options[seed % options.length];
  const variants = schema.anyOf ?? schema.oneOf ?? [];
  if (variants.length > 0) return make(chooseVariant(variants, depth), seed);
  switch (typeof schema.type === "string" ? schema.type : schema.type?.[0]) {
    case "string":
      return makeText(schema, seed);
    case "integer":
      return makeInteger(schema, seed);
    case "number":
      return makeNumber(schema, seed);
    case "boolean":
      return seed % 2 === 0;
    case "null":
      return null;
    case "array": {
      const length = Math.min(Math.max(1, schema.minItems ?? 1), schema.maxItems ?? MAX_ITEMS, MAX_ITEMS);
      return Array.from({ length }, (_, index) => make(items, seed + index));
    }
    default:
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, member], index) => [name, make(member, seed + index + 1)]),
      );
  }
}

function chooseVariant(variants: readonly unknown[], depth: number): unknown {
  const wayOut = variants.find((variant) => isSchema(variant) && variant.type === "null");
  return depth > DEEP && wayOut !== undefined ? wayOut : variants[0];
}

function makeText({ minLength = 0, maxLength = MAX_CHARACTERS }: JsonSchema, seed: number): string {
  const text = makeTokens(2, seed).join("");
  return text.padEnd(Math.min(minLength, MAX_CHARACTERS), text).slice(0, maxLength);
}

function makeInteger(schema: JsonSchema, seed: number): number {
  const [least, most] = boundsOf(schema);
  const low = Math.max(Math.ceil(least), Math.floor(schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + 1);
  const high = Math.min(Math.floor(most), Math.ceil(schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - 1);
  return low + (seed % Math.max(1, high - low + 1));
}

function makeNumber(schema: JsonSchema, seed: number): number {
  const [least, most] = boundsOf(schema);
  // The value is strictly between the bounds unless they are equal, so that it also satisfies exclusive bounds.
  return least === most ? least : least + ((most - least) * ((seed % 99) + 1)) / 100;
}

/** Returns the range of a number. If one bound is missing, it is 100 away from the other bound. */
function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): [number, number] {
  const least = Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const most = Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  if (Number.isFinite(least)) return [least, Number.isFinite(most) ? most : least + 100];
  return Number.isFinite(most) ? [most - 100, most] : [0, 100];
}

/** Resolves a reference within the schema, such as `#/$defs/node`. */
function resolve(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isSchema(found) && Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined;
  }
  return found;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
