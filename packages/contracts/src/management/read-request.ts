import type { TSchema } from "typebox";
import { Failure } from "../failures.ts";
import { compileOnUse } from "../validation/compile-check.ts";
import { listProblems, type Problem } from "../validation/list-problems.ts";
import type { NumberSource, ParsedBody } from "./parse-body.ts";

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  /** If true, fields that the schema doesn't name are passed on unchanged. */
  readonly additionalProperties?: unknown;
  readonly "x-amount"?: true;
  readonly "x-list"?: true;
}

const MAX_DIGITS_VALUE = 9_223_372_036_854_775_807n;

/** Creates the body reader for one operation. It validates the body and returns it with amounts as bigint. */
export function createBodyReader(schema: TSchema): (body: ParsedBody) => unknown {
  const isValid = compileOnUse(schema);
  return ({ value, sourceOf, isStorable }) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Failure("INVALID_JSON", "The body must be a JSON object.");
    }
    // Bodies that are passed on unchanged are never stored as text.
    if (!isStorable && (schema as Schema).additionalProperties !== true) throw refuseText("The body");
    checkAmounts(schema as Schema, value, sourceOf, "");
    if (!isValid(value)) throw refuse(listProblems(schema, value, ["body"]));
    return readAmounts(schema as Schema, value);
  };
}

/** Creates the query reader for one operation. It ignores unknown names and fills in defaults. */
export function createQueryReader(schema: TSchema | undefined): (search: string) => unknown {
  if (schema === undefined) return () => ({});
  const isValid = compileOnUse(schema);
  const parameters = Object.entries((schema as Schema).properties ?? {});
  return (search) => {
    const sent = new URLSearchParams(search);
    if (sent.toString().includes("%00")) throw refuseText("The query");
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of parameters) {
      const texts = sent.getAll(name);
      if (texts.length > 0) values[name] = readParameter(parameter, texts);
      else if (parameter.default !== undefined) values[name] = parameter.default;
    }
    checkAmounts(schema as Schema, values, () => undefined, "");
    if (!isValid(values)) throw refuse(listProblems(schema, values, ["query"]));
    return readAmounts(schema as Schema, values);
  };
}

/** Parses a parameter. A value that can't be parsed stays text, which the schema then rejects. */
function readParameter(parameter: Schema, texts: readonly string[]): unknown {
  if (parameter["x-list"]) {
    return texts.flatMap((text) => text.split(",")).map((text) => readScalar(parameter.items ?? {}, text.trim()));
  }
  // If a parameter is sent twice, the last one counts.
  return readScalar(parameter, texts.at(-1) ?? "");
}

function readScalar(parameter: Schema, text: string): unknown {
  if (parameter.type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (parameter.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/** Rejects amounts that JSON may have rounded, before any other check. */
function checkAmounts(schema: Schema, value: object, sourceOf: NumberSource, path: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const member = (value as Record<string, unknown>)[name];
    const at = path === "" ? name : `${path}.${name}`;
    const shape = amountShape(field);
    if (shape !== null) checkAmount(member, sourceOf(value, name), at);
    else if (typeof member === "object" && member !== null && !Array.isArray(member)) {
      for (const variant of field.anyOf ?? [field]) checkAmounts(variant, member, sourceOf, at);
    }
  }
}

function checkAmount(member: unknown, source: string | undefined, at: string): void {
  const isInexact =
    (typeof member === "number" && (!Number.isSafeInteger(member) || (source !== undefined && /[.eE]/.test(source)))) ||
    (typeof member === "string" &&
      (!/^-?[0-9]{1,19}$/.test(member) || BigInt(member) > MAX_DIGITS_VALUE || BigInt(member) < -MAX_DIGITS_VALUE));
  if (!isInexact) return;
  throw new Failure(
    "AMOUNT_NOT_EXACT",
    `${at} must be a whole number of nano-USD: an integer up to 9007199254740991, or a string of digits.`,
    { publicDetails: { fields: { [at]: "not exact" } } },
  );
}

/** Returns the value with amounts as bigint. Drops fields that the schema doesn't name. */
function readAmounts(schema: Schema, value: unknown): unknown {
  if (schema["x-amount"] === true && (typeof value === "number" || typeof value === "string")) return BigInt(value);
  if (schema.anyOf !== undefined) {
    const shape = schema.anyOf.find((variant) => matches(variant, value)) ?? {};
    return readAmounts(shape, value);
  }
  if (Array.isArray(value)) return value.map((item) => readAmounts(schema.items ?? {}, item));
  if (typeof value !== "object" || value === null || schema.properties === undefined) return value;
  const read: Record<string, unknown> = schema.additionalProperties === true ? { ...value } : {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) read[name] = readAmounts(field, member);
  }
  return read;
}

function matches(schema: Schema, value: unknown): boolean {
  if (schema["x-amount"] === true) return typeof value === "number" || typeof value === "string";
  if (value === null) return schema.type === "null";
  if (Array.isArray(value)) return schema.type === "array";
  if (typeof value === "object") return schema.type === "object";
  return schema.type !== "null" && schema.type !== "object" && schema.type !== "array";
}

function amountShape(field: Schema): Schema | null {
  if (field["x-amount"] === true) return field;
  return field.anyOf?.find((variant) => variant["x-amount"] === true) ?? null;
}

/** Creates the failure for text that the database can't store. */
function refuseText(where: string): Failure {
  return new Failure("INVALID_FIELD", `${where} cannot contain U+0000 or an unpaired surrogate.`);
}

function refuse(problems: readonly Problem[]): Failure {
  const fields = Object.fromEntries(problems.map(({ loc, msg }) => [loc.slice(1).join("."), msg]));
  const text = Object.entries(fields)
    .map(([name, msg]) => `${name}: ${msg}`)
    .join("; ");
  return new Failure("INVALID_FIELD", text, { publicDetails: { fields } });
}
