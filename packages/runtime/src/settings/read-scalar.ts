import { Secret } from "@tollgate/domain/secret.ts";
import type { TSchema } from "typebox";
import Value from "typebox/value";
import type { Findings } from "./findings.ts";
import { findNearMiss } from "./near-misses.ts";
import { parseDecimal } from "./parse-usd.ts";
import type { FieldSchema } from "./schema/fields.ts";
import type { SourceScalar } from "./source-tree.ts";

/** Result for an unusable value whose problem is already recorded. */
export const INVALID = Symbol("invalid");

const MAX_SHOWN = 60;
const NUMBER = /^[+-]?(\d[\d_]*\.?[\d_]*|\.\d+)([eE][+-]?\d+)?$/;
const TRUE_WORDS = new Set(["true", "yes", "on", "1"]);
const FALSE_WORDS = new Set(["false", "no", "off", "0"]);

/**
 * Reads a scalar as its field's type, from the text as written: a numeric password stays text, a quoted number is a
 * number, and values from the environment are read like values in the file.
 */
export function readScalar(schema: FieldSchema, node: SourceScalar, findings: Findings): unknown {
  if (schema["x-decimals"] !== undefined) return readDecimal(schema, schema["x-decimals"], node, findings);
  if (schema["x-known"] !== undefined) return readKnownName(schema["x-known"], node, findings);
  const value = convert(schema, node);
  if (value === undefined || !Value.Check(schema as TSchema, value)) return refuse(schema, node, findings);
  return schema["x-secret"] ? new Secret(node.text) : value;
}

/** Formats `name: value` as written, for a message. Never shows secrets or values from the environment. */
export function showSetting(schema: FieldSchema, node: SourceScalar): string {
  const { name } = node;
  if (node.variable !== null) return `${name}: os.environ/${node.variable}`;
  if (schema["x-secret"]) return name;
  return `${name}: ${node.text.length > MAX_SHOWN ? `${node.text.slice(0, MAX_SHOWN)}…` : node.text}`;
}

function convert(schema: FieldSchema, node: SourceScalar): unknown {
  if (schema.type === "string") return node.text;
  if (schema.type === "boolean") {
    const word = node.text.toLowerCase();
    return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : undefined;
  }
  if (schema.type === "integer" || schema.type === "number") {
    return NUMBER.test(node.text) ? Number(node.text.replaceAll("_", "")) : undefined;
  }
  return undefined;
}

function readDecimal(schema: FieldSchema, decimals: number, node: SourceScalar, findings: Findings): unknown {
  const parsed = parseDecimal(node.text.replaceAll("_", ""), decimals);
  if (parsed.kind === "exact") return parsed.value;
  if (parsed.kind === "malformed") return refuse(schema, node, findings);
  findings.refuse(node.place, showSetting(schema, node), `more than ${decimals} decimal places are not supported`);
  return INVALID;
}

function readKnownName(known: readonly string[], node: SourceScalar, findings: Findings): unknown {
  if (known.includes(node.text)) return node.text;
  const meant = findNearMiss(node.text, known);
  if (meant !== null) {
    findings.refuse(node.place, showSetting({}, node), `did you mean "${meant}"?`);
  } else {
    findings.warn(
      "without-effect",
      node.place,
      `${node.place.path}: ${node.text}`,
      `not supported; supported values: ${known.join(", ")}`,
    );
  }
  return INVALID;
}

function refuse(schema: FieldSchema, node: SourceScalar, findings: Findings): typeof INVALID {
  const meant = schema.enum ? findNearMiss(node.text, schema.enum) : null;
  const suggestion = meant === null ? `expected ${describeExpected(schema)}` : `did you mean "${meant}"?`;
  findings.refuse(node.place, showSetting(schema, node), suggestion);
  return INVALID;
}

/** Describes the accepted values, as the second half of "expected …". */
export function describeExpected(schema: FieldSchema): string {
  if (schema.anyOf) return schema.anyOf.map(describeExpected).join(" or ");
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.type === "array") return "a list";
  if (schema.type === "object") return "a mapping";
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer") return `a whole number${describeBounds(schema)}`;
  if (schema.type === "number") return `a number${describeBounds(schema)}`;
  return "pattern" in schema && schema.description ? schema.description : "text";
}

function describeBounds({ minimum, exclusiveMinimum, maximum }: FieldSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (exclusiveMinimum !== undefined && maximum !== undefined) return ` above ${exclusiveMinimum}, at most ${maximum}`;
  if (minimum !== undefined) return `, ${minimum} or more`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}
