import { parseJson } from "../../format/parse-json.ts";

/** Request parameters as typed. Empty values are not sent. */
export interface ChatParameters {
  readonly system: string;
  readonly temperature: string;
  readonly top_p: string;
  readonly max_completion_tokens: string;
  readonly frequency_penalty: string;
  readonly presence_penalty: string;
  readonly reasoning_effort: string;
  readonly response_format: string;
  /** JSON Schema, used if the response format requires one. */
  readonly schema: string;
  readonly stop: string;
  readonly seed: string;
  readonly tools: string;
  readonly stream: string;
}

export const noParameters: ChatParameters = {
  system: "",
  temperature: "",
  top_p: "",
  max_completion_tokens: "",
  frequency_penalty: "",
  presence_penalty: "",
  reasoning_effort: "",
  response_format: "",
  schema: "",
  stop: "",
  seed: "",
  tools: "",
  stream: "true",
};

export interface NumberParameter {
  readonly name: "temperature" | "top_p" | "max_completion_tokens" | "frequency_penalty" | "presence_penalty" | "seed";
  readonly hint: string;
  readonly isWhole: boolean;
  readonly least: number;
  readonly most: number;
}

export const numberParameters: readonly NumberParameter[] = [
  { name: "max_completion_tokens", hint: "no limit", isWhole: true, least: 1, most: 10_000_000 },
  { name: "temperature", hint: "0 to 2", isWhole: false, least: 0, most: 2 },
  { name: "top_p", hint: "0 to 1", isWhole: false, least: 0, most: 1 },
  { name: "frequency_penalty", hint: "-2 to 2", isWhole: false, least: -2, most: 2 },
  { name: "presence_penalty", hint: "-2 to 2", isWhole: false, least: -2, most: 2 },
  { name: "seed", hint: "none", isWhole: true, least: -(2 ** 53), most: 2 ** 53 },
];

/** Returns what is wrong with a typed number; null if it is valid. */
export function checkNumber(text: string, { isWhole, least, most }: NumberParameter): string | null {
  if (text.trim() === "") return null;
  const value = Number(text);
  if (Number.isNaN(value) || (isWhole && !Number.isInteger(value))) {
    return isWhole ? "Enter a whole number." : "Enter a number.";
  }
  return value < least || value > most ? `Enter a value from ${least} to ${most.toLocaleString("en-US")}.` : null;
}

/** Maximum number of tools in a request. */
const MAX_TOOLS = 128;

/** Returns what is wrong with the tools JSON; null if it is valid. */
export function checkTools(text: string): string | null {
  if (text.trim() === "") return null;
  const tools = parseJson(text);
  if (!Array.isArray(tools)) return tools === undefined ? "Invalid JSON." : "Enter a JSON array of tools.";
  if (tools.length > MAX_TOOLS) return `A request can have at most ${MAX_TOOLS} tools.`;
  for (const [index, tool] of (tools as unknown[]).entries()) {
    const wrong = checkTool(tool);
    if (wrong !== null) return `Tool ${index + 1}: ${wrong}`;
  }
  return null;
}

function checkTool(tool: unknown): string | null {
  const { type, function: declared } = (tool ?? {}) as { type?: unknown; function?: unknown };
  if (type !== "function") return `"type" must be "function".`;
  const { name, parameters } = (declared ?? {}) as { name?: unknown; parameters?: unknown };
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) {
    return `"function.name" must be 1 to 64 letters, digits, underscores, or hyphens.`;
  }
  if (parameters === undefined) return null;
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    return `"function.parameters" must be a JSON Schema.`;
  }
  const { type: kind } = parameters as { type?: unknown };
  return kind === undefined || kind === "object" ? null : `"function.parameters.type" must be "object".`;
}

/** Returns what is wrong with the response schema; null if it is valid. */
export function checkSchema({ response_format, schema }: ChatParameters): string | null {
  if (response_format !== "json_schema") return null;
  const parsed = parseJson(schema);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return "Enter a JSON Schema object.";
  return null;
}

/** Reports whether all parameters are valid. */
export function areParametersValid(parameters: ChatParameters): boolean {
  return (
    checkTools(parameters.tools) === null &&
    checkSchema(parameters) === null &&
    numberParameters.every((rule) => checkNumber(parameters[rule.name], rule) === null)
  );
}
