import { ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems } from "@tollgate/contracts/validation/list-problems.ts";

/** The part of a query's schema that reading it needs. */
interface ParameterSchema {
  readonly type?: string;
  readonly anyOf?: readonly ParameterSchema[];
  /** The parameter has no meaning, and is not looked at, unless this other one is true. */
  readonly "x-read-with"?: string;
}

const TRUE_WORDS = new Set(["true", "1", "yes", "on"]);
const FALSE_WORDS = new Set(["false", "0", "no", "off"]);

/** Makes the reader of one operation's query string. It refuses with every problem found; unknown names are ignored. */
export function createQueryReader(schema: OperationDescription["query"]): (search: string) => unknown {
  if (schema === undefined) return () => ({});
  const isValid = compileCheck(schema);
  const parameters = Object.entries((schema as { properties?: Record<string, ParameterSchema> }).properties ?? {});
  return (search) => {
    const sent = new URLSearchParams(search);
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of parameters) {
      // Of a parameter sent twice the last one counts.
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

/** What cannot be read as its type stays text, which the schema then refuses. */
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
