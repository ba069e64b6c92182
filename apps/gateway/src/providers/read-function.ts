import { Failure } from "@tollgate/contracts/failures.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A function that a request offers to the model. */
export interface FunctionDefinition extends Fields {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: Fields | null;
  readonly strict?: unknown;
}

/**
 * Returns the function of a chat request's tool. The request schema leaves the contents of tools to the upstream, so a
 * translation checks what it sends.
 */
export function functionOfTool(tool: Fields, param: string): FunctionDefinition {
  if ((tool.type === undefined || tool.type === "function") && tool.function !== undefined) {
    return readFunction(tool.function, `${param}.function`);
  }
  throw new Failure("unsupported_tool", "This model supports only tools of type 'function'.", {
    param: `${param}.type`,
  });
}

/** Returns a function definition if it has a name and the members that a translation reads. */
export function readFunction(value: unknown, param: string): FunctionDefinition {
  if (isObject(value)) {
    const { name, description, parameters } = value;
    const hasName = typeof name === "string" && name !== "";
    const isDescribed = description == null || typeof description === "string";
    if (hasName && isDescribed && (parameters == null || isObject(parameters))) return value as FunctionDefinition;
  }
  throw new Failure(
    "invalid_request",
    "A function requires a name. Its description must be text, and its parameters must be an object.",
    { param },
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
