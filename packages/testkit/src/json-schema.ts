/** The subset of JSON Schema that published descriptions use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Resolves a schema reference. */
export type Resolve = (reference: string) => JsonSchema;

const annotations = /^(?:\$id|title|description|default|examples?|format|deprecated|discriminator|x-.*)$/;

/**
 * Returns the reason that a value does not match a schema, or null. Independent of the product's validator, so that a
 * bug in one validator is not hidden by the same bug in the other. Throws for an unknown keyword, because ignoring it
 * would look like conformance.
 */
export function findMismatch(schema: JsonSchema, value: unknown, resolve: Resolve, path = "$"): string | null {
  const inner = (part: JsonSchema, member: unknown, name: string | number) =>
    findMismatch(part, member, resolve, `${path}.${name}`);
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (annotations.test(keyword)) continue;
    const check = checks[keyword];
    if (check === undefined) throw new Error(`the published schema uses '${keyword}', which this check does not know`);
    const mismatch = check(value, wanted, { schema, resolve, path, inner });
    if (mismatch !== null) return mismatch;
  }
  return null;
}

interface Place {
  readonly schema: JsonSchema;
  readonly resolve: Resolve;
  readonly path: string;
  readonly inner: (part: JsonSchema, member: unknown, name: string | number) => string | null;
}

type Check = (value: unknown, wanted: unknown, place: Place) => string | null;

/** Creates a limit check that ignores values of other types. */
function limit(measure: (value: unknown) => number | null, isWithin: (size: number, wanted: number) => boolean): Check {
  return (value, wanted, { path }) => {
    const size = measure(value);
    return size === null || isWithin(size, wanted as number) ? null : `${path}: ${size} is beyond ${wanted}`;
  };
}

const atLeast = (size: number, wanted: number) => size >= wanted;
const atMost = (size: number, wanted: number) => size <= wanted;
const numberOf = (value: unknown) => (typeof value === "number" ? value : null);
const lengthOf = (value: unknown) => (typeof value === "string" ? [...value].length : null);
const itemsOf = (value: unknown) => (Array.isArray(value) ? value.length : null);
const membersOf = (value: unknown) => (isObject(value) ? Object.keys(value).length : null);

const checks: Readonly<Record<string, Check>> = {
  $ref: (value, wanted, { resolve, path }) => findMismatch(resolve(wanted as string), value, resolve, path),
  type: (value, wanted, { path }) =>
    [wanted].flat().some((name) => isOfType(value, name as string)) ? null : `${path}: not of type ${String(wanted)}`,
  const: (value, wanted, { path }) => (value === wanted ? null : `${path}: not ${JSON.stringify(wanted)}`),
  enum: (value, wanted, { path }) => ((wanted as unknown[]).includes(value) ? null : `${path}: not among the values`),
  anyOf: (value, wanted, place) => {
    const reasons = matchAll(value, wanted, place);
    return reasons.includes(null) ? null : `${place.path}: no variant fits (${reasons.join("; ")})`;
  },
  oneOf: (value, wanted, place) => {
    const fitting = matchAll(value, wanted, place).filter((reason) => reason === null).length;
    return fitting === 1 ? null : `${place.path}: ${fitting} variants fit instead of one`;
  },
  allOf: (value, wanted, place) => matchAll(value, wanted, place).find((reason) => reason !== null) ?? null,
  required: (value, wanted, { path }) => {
    const missing = isObject(value) ? (wanted as string[]).find((name) => !Object.hasOwn(value, name)) : undefined;
    return missing === undefined ? null : `${path}: '${missing}' is missing`;
  },
  properties: (value, wanted, { inner }) =>
    firstOf(isObject(value) ? value : {}, ([name, member]) => {
      const part = ownMember(wanted as Record<string, JsonSchema>, name);
      return part === undefined ? null : inner(part, member, name);
    }),
  patternProperties: (value, wanted, { inner }) =>
    firstOf(isObject(value) ? value : {}, ([name, member]) => {
      const parts = Object.entries(wanted as Record<string, JsonSchema>).filter(([text]) =>
        new RegExp(text).test(name),
      );
      return parts.map(([, part]) => inner(part, member, name)).find((reason) => reason !== null) ?? null;
    }),
  additionalProperties: (value, wanted, { schema, path, inner }) =>
    firstOf(isObject(value) ? value : {}, ([name, member]) => {
      const isDescribed =
        ownMember(schema.properties ?? {}, name) !== undefined ||
        Object.keys(schema.patternProperties ?? {}).some((text) => new RegExp(text).test(name));
      if (isDescribed || wanted === true) return null;
      return wanted === false ? `${path}: '${name}' should not be here` : inner(wanted as JsonSchema, member, name);
    }),
  propertyNames: (value, wanted, { inner }) =>
    firstOf(isObject(value) ? value : {}, ([name]) => inner(wanted as JsonSchema, name, name)),
  items: (value, wanted, { inner }) =>
    firstOf(Array.isArray(value) ? value : [], ([index, item]) => inner(wanted as JsonSchema, item, index)),
  pattern: (value, wanted, { path }) =>
    typeof value !== "string" || new RegExp(wanted as string, "u").test(value)
      ? null
      : `${path}: not like ${String(wanted)}`,
  minimum: limit(numberOf, atLeast),
  maximum: limit(numberOf, atMost),
  minLength: limit(lengthOf, atLeast),
  maxLength: limit(lengthOf, atMost),
  minItems: limit(itemsOf, atLeast),
  maxItems: limit(itemsOf, atMost),
  maxProperties: limit(membersOf, atMost),
  uniqueItems: (value, _wanted, { path }) =>
    Array.isArray(value) && new Set(value.map((item) => JSON.stringify(item))).size < value.length
      ? `${path}: an item occurs twice`
      : null,
};

function matchAll(value: unknown, variants: unknown, { resolve, path }: Place): (string | null)[] {
  return (variants as JsonSchema[]).map((variant) => findMismatch(variant, value, resolve, path));
}

function firstOf(members: object, check: (member: [string, unknown]) => string | null): string | null {
  for (const member of Object.entries(members)) {
    const mismatch = check(member);
    if (mismatch !== null) return mismatch;
  }
  return null;
}

function ownMember(parts: Readonly<Record<string, JsonSchema>>, name: string): JsonSchema | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}

function isOfType(value: unknown, name: string): boolean {
  switch (name) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return name === typeof value;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
