import { ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { compileOnUse } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems } from "@tollgate/contracts/validation/list-problems.ts";

/** The members of a query schema that are needed to parse a query. */
interface ParameterSchema {
  readonly type?: string;
  readonly anyOf?: readonly ParameterSchema[];
  /** Name of another parameter. Unless that parameter is true, this parameter is ignored. */
  readonly "x-read-with"?: string;
}

const TRUE_WORDS = new Set(["true", "1", "yes", "on"]);
const FALSE_WORDS = new Set(["false", "0", "no", "off"]);

/** Creates the query reader for an operation. The reader reports all problems and ignores unknown names. */
export function createQueryReader(schema: OperationDescription["query"]): (search: string) => unknown {
  if (schema === undefined) return () => ({});
  const isValid = compileOnUse(schema);
  const parameters = Object.entries((schema as { properties?: Record<string, ParameterSchema> }).properties ?? {});
  return (search) => {
    const sent = new URLSearchParams(search);
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of parameters) {
      // If a parameter is sent twice, the last value counts.
      const text = sent.getAll(name).at(-1);
      if (text !== undefined) values[name] = readParameter(parameter, text);
    }
    for (const [name, { "x-read-with": companion }] of parameters) {
      if (companion !== undefined && values[companion] !== true) delete values[name];
    }
    if (!isValid(values)) throw new ValidationFailure(listProblems(schema, values, ["query"]));
    return values;
  };
}

/** Parses a parameter. A value that can't be parsed as its type stays text, which the schema then rejects. */
function readParameter(parameter: ParameterSchema, text: string): unknown {
  const variants = parameter.anyOf ?? [parameter];
  const takes = (type: string) => variants.some((variant) => variant.type === type);
  if (text === "" && takes("null")) return null;
  if (takes("boolean")) return readBoolean(text);
  if (takes("integer")) return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  return text;
}

function readBoolean(text: string): boolean | string {
  const word = text.toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : text;
}
