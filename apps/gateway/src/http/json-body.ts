import { isUtf8 } from "node:buffer";
import { invalidJson, missingBody, ValidationFailure } from "@tollgate/contracts/failures.ts";
import { compileOnUse } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems } from "@tollgate/contracts/validation/list-problems.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { TSchema } from "typebox";

/** Creates the body reader for an operation. It reports all problems, including a missing body and malformed JSON. */
export function createBodyReader(schema: TSchema): (bytes: Buffer) => unknown {
  const isValid = compileOnUse(schema);
  const revive = (schema as { "x-exact-numbers"?: boolean })["x-exact-numbers"] === true ? keepDigits : undefined;
  return (bytes) => {
    const body = parse(bytes, revive);
    if (!isValid(body)) throw new ValidationFailure(listProblems(schema, body, ["body"]));
    return body;
  };
}

/** Leaves amounts as text if they have more digits than a JavaScript number can represent. */
const keepDigits: JsonReviver = (name, value, { source = "" } = {}) => {
  if (typeof value !== "number" || source.replace(/[eE].*/, "").length <= SAFE_LENGTH) return value;
  return AMOUNT_NAME.test(name) ? source : value;
};

const AMOUNT_NAME = /_budget$|_cost$|_cost_per_/;

/** Maximum length, including the sign and decimal point, at which every number survives a round trip. */
const SAFE_LENGTH = 15;

type JsonReviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

function parse(bytes: Buffer, revive?: JsonReviver): unknown {
  if (bytes.length === 0) throw missingBody();
  if (!isUtf8(bytes)) throw invalidJson("The body is not valid UTF-8.");
  const scan = scanJsonBytes(bytes, null);
  if (scan.kind === "refused") throw invalidJson(scan.reason);
  try {
    return JSON.parse(bytes.toString("utf8"), revive);
  } catch {
    throw invalidJson("The body is not valid JSON.");
  }
}
