/** One reason why a value was rejected, in a format that clients of similar gateways already parse. */
export interface Problem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: ProblemSlug;
}

export type ProblemSlug =
  | "missing"
  | "string_type"
  | "int_parsing"
  | "float_parsing"
  | "bool_parsing"
  | "list_type"
  | "dict_type"
  | "literal_error"
  | "union_tag_invalid"
  | "json_invalid"
  | "too_long"
  | "too_short"
  | "string_pattern_mismatch"
  | "greater_than_equal"
  | "less_than_equal";

/** The subset of JSON Schema that our contracts use. `discriminator` names the field that selects a union's variant. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly discriminator?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly maxProperties?: number;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const MAX_PROBLEMS = 100;

/**
 * Lists every difference between a value and its schema, in document order. The compiled check decides whether a
 * request is valid. This function only explains a rejection, so it may be slower.
 */
export function listProblems(schema: object, value: unknown, root: readonly (string | number)[]): Problem[] {
  const problems: Problem[] = [];
  walk(schema as Schema, value, root, problems);
  return problems.slice(0, MAX_PROBLEMS);
}

type Location = readonly (string | number)[];

function walk(schema: Schema, value: unknown, loc: Location, problems: Problem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  if (schema.anyOf) return walkUnion(schema, schema.anyOf, value, loc, problems);
  if ("const" in schema) return expectLiteral([schema.const], value, loc, problems);
  if (schema.enum) return expectLiteral(schema.enum, value, loc, problems);
  switch (schema.type) {
    case "string":
      return walkString(schema, value, loc, problems);
    case "integer":
    case "number":
      return walkNumber(schema, value, loc, problems);
    case "boolean":
      if (typeof value !== "boolean") add(problems, loc, "Input should be a valid boolean", "bool_parsing");
      return;
    case "array":
      return walkArray(schema, value, loc, problems);
    case "object":
      return walkObject(schema, value, loc, problems);
    case "null":
      if (value !== null) add(problems, loc, "Input should be null", "literal_error");
      return;
    default:
      return;
  }
}

function walkUnion(
  union: Schema,
  variants: readonly Schema[],
  value: unknown,
  loc: Location,
  problems: Problem[],
): void {
  const discriminator = union.discriminator;
  if (discriminator !== undefined) return walkTagged(discriminator, variants, value, loc, problems);
  const reasons = variants.map((variant) => {
    const found: Problem[] = [];
    walk(variant, value, loc, found);
    return { variant, found };
  });
  if (reasons.some(({ found }) => found.length === 0)) return;
  if (variants.every((variant) => "const" in variant || variant.type === "null")) {
    const literals = variants.flatMap((variant) => ("const" in variant ? [variant.const] : []));
    return expectLiteral(literals, value, loc, problems);
  }
  // Prefer the variant with the value's type: a number out of range is a range problem, not a type problem.
  const sameKind = reasons.find(({ variant }) => variant.type === kindOf(value));
  const best = sameKind ?? reasons.find(({ variant }) => variant.type !== "null") ?? reasons[0];
  if (best) problems.push(...best.found);
}

function walkTagged(
  tag: string,
  variants: readonly Schema[],
  value: unknown,
  loc: Location,
  problems: Problem[],
): void {
  if (!isObject(value)) return add(problems, loc, "Input should be an object", "dict_type");
  const given = value[tag];
  if (given === undefined) return add(problems, [...loc, tag], "Field required", "missing");
  const literalOf = (variant: Schema) => variant.properties?.[tag]?.const;
  const variant = variants.find((candidate) => literalOf(candidate) === given);
  if (variant) return walk(variant, value, loc, problems);
  const known = variants.map((candidate) => `'${String(literalOf(candidate))}'`).join(", ");
  add(problems, [...loc, tag], `Input should be one of ${known}`, "union_tag_invalid");
}

function walkString(schema: Schema, value: unknown, loc: Location, problems: Problem[]): void {
  if (typeof value !== "string") return add(problems, loc, "Input should be a valid string", "string_type");
  // Count characters, not code units, like the compiled check.
  const length = [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) {
    add(problems, loc, `String should have at least ${schema.minLength} characters`, "too_short");
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    add(problems, loc, `String should have at most ${schema.maxLength} characters`, "too_long");
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    add(problems, loc, `String should match pattern '${schema.pattern}'`, "string_pattern_mismatch");
  }
}

function walkNumber(schema: Schema, value: unknown, loc: Location, problems: Problem[]): void {
  const isInteger = schema.type === "integer";
  if (typeof value !== "number" || !Number.isFinite(value) || (isInteger && !Number.isInteger(value))) {
    return isInteger
      ? add(problems, loc, "Input should be a valid integer", "int_parsing")
      : add(problems, loc, "Input should be a valid number", "float_parsing");
  }
  if (schema.minimum !== undefined && value < schema.minimum) {
    add(problems, loc, `Input should be greater than or equal to ${schema.minimum}`, "greater_than_equal");
  }
  if (schema.maximum !== undefined && value > schema.maximum) {
    add(problems, loc, `Input should be less than or equal to ${schema.maximum}`, "less_than_equal");
  }
}

function walkArray(schema: Schema, value: unknown, loc: Location, problems: Problem[]): void {
  if (!Array.isArray(value)) return add(problems, loc, "Input should be a valid list", "list_type");
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    add(problems, loc, `List should have at least ${schema.minItems} item`, "too_short");
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    return add(problems, loc, `List should have at most ${schema.maxItems} items`, "too_long");
  }
  if (schema.items) for (const [index, item] of value.entries()) walk(schema.items, item, [...loc, index], problems);
}

function walkObject(schema: Schema, value: unknown, loc: Location, problems: Problem[]): void {
  if (!isObject(value)) return add(problems, loc, "Input should be a valid dictionary", "dict_type");
  for (const name of schema.required ?? []) {
    if (value[name] === undefined) add(problems, [...loc, name], "Field required", "missing");
  }
  if (schema.maxProperties !== undefined && Object.keys(value).length > schema.maxProperties) {
    add(problems, loc, `Dictionary should have at most ${schema.maxProperties} entries`, "too_long");
  }
  const others = schema.patternProperties ? Object.values(schema.patternProperties)[0] : schema.additionalProperties;
  for (const [name, member] of Object.entries(value)) {
    if (schema.propertyNames) walk(schema.propertyNames, name, [...loc, name], problems);
    const described = schema.properties?.[name] ?? (typeof others === "object" ? others : undefined);
    if (described && member !== undefined) walk(described, member, [...loc, name], problems);
  }
}

function expectLiteral(allowed: readonly unknown[], value: unknown, loc: Location, problems: Problem[]): void {
  if (allowed.includes(value)) return;
  const shown = allowed.map((literal) => `'${String(literal)}'`).join(", ");
  add(problems, loc, `Input should be ${allowed.length === 1 ? shown : `one of ${shown}`}`, "literal_error");
}

function add(problems: Problem[], loc: Location, msg: string, type: ProblemSlug): void {
  problems.push({ loc, msg, type });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return "number";
  return typeof value;
}
