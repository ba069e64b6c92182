import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type FunctionDefinition, functionOfTool, readFunction } from "../read-function.ts";
import { checkedTool } from "./merge-extras.ts";

interface ToolFields {
  readonly tools?: readonly object[];
  readonly toolConfig?: object;
}

type ToolRequest = Pick<ChatRequest, "tools" | "functions" | "tool_choice" | "function_call" | "web_search_options">;

/** Converts the tools and the tool choice. Legacy functions are converted the same way. */
export function buildTools(request: ToolRequest): ToolFields {
  const choice = readChoice(request);
  const functions = functionsOf(request).filter(({ name }) => choice.offered?.includes(name) ?? true);
  const isStrict = functions.some(({ strict }) => strict === true);
  const mode = choice.mode === "AUTO" || choice.mode === null ? (isStrict ? "VALIDATED" : choice.mode) : choice.mode;
  const declarations = functions.map(({ name, description, parameters }) => ({
    name,
    ...(description != null && { description }),
    ...(parameters != null && { parametersJsonSchema: parameters }),
  }));
  const tools: object[] = [];
  if (declarations.length > 0) tools.push({ functionDeclarations: declarations });
  if (request.web_search_options != null) tools.push({ googleSearch: {} });
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (isNative(tool)) tools.push(checkedTool(tool, `tools.${index}`));
  }
  return {
    ...(tools.length > 0 && { tools }),
    ...(declarations.length > 0 &&
      mode !== null && {
        toolConfig: { functionCallingConfig: { mode, ...(choice.names && { allowedFunctionNames: choice.names }) } },
      }),
  };
}

function functionsOf({ tools, functions }: ToolRequest): readonly FunctionDefinition[] {
  return [
    ...(tools ?? []).flatMap((tool, index) => (isNative(tool) ? [] : [functionOfTool(tool, `tools.${index}`)])),
    ...(functions ?? []).map((definition, index) => readFunction(definition, `functions.${index}`)),
  ];
}

/**
 * Reports whether a tool has the provider's own form, such as `{googleSearch: {}}`. If the provider charges for it,
 * `fit-parameters.ts` has refused it, unless it has a price.
 */
function isNative(tool: Readonly<Record<string, unknown>>): boolean {
  return tool.type === undefined && tool.function === undefined;
}

interface Choice {
  /** Null if the provider's default mode applies. */
  readonly mode: string | null;
  /** The names of the functions that the model must choose from. */
  readonly names: readonly string[] | null;
  /** The names of the functions to offer; null offers all functions. */
  readonly offered: readonly string[] | null;
}

const NO_CHOICE: Choice = { mode: null, names: null, offered: null };
const modes: Readonly<Record<string, string>> = { none: "NONE", auto: "AUTO", required: "ANY", any: "ANY" };

function readChoice({ tool_choice: choice, function_call: older }: ToolRequest): Choice {
  if (choice != null) {
    return typeof choice === "string" ? readMode(choice, "tool_choice") : readChoiceObject(choice);
  }
  if (older == null) return NO_CHOICE;
  if (typeof older === "string") return readMode(older, "function_call");
  if (typeof older.name === "string") return oneOf([older.name]);
  throw invalidChoice("function_call");
}

function readMode(name: string, param: string): Choice {
  const mode = modes[name];
  if (mode === undefined) throw invalidChoice(param);
  return { ...NO_CHOICE, mode };
}

function invalidChoice(param: string): Failure {
  return new Failure("invalid_request", `This model does not support this ${param}.`, { param });
}

/**
 * Reads a tool choice that names functions. The request schema doesn't cover the choice's fields, so this function
 * validates them.
 */
function readChoiceObject(choice: object): Choice {
  const { type, function: named, allowed_tools: allowed } = choice as NamedChoice;
  if (type === "function" && typeof named?.name === "string") return oneOf([named.name]);
  if (type === "allowed_tools" && Array.isArray(allowed?.tools)) {
    const names = allowed.tools.flatMap((tool) =>
      typeof tool?.function?.name === "string" ? [tool.function.name] : [],
    );
    // The API accepts a list of names only if a call is required. Otherwise, the gateway offers only the allowed
    // functions.
    return allowed.mode === "required" ? oneOf(names) : { ...NO_CHOICE, mode: "AUTO", offered: names };
  }
  throw invalidChoice("tool_choice");
}

interface NamedChoice {
  readonly type?: string;
  readonly function?: { readonly name?: unknown };
  readonly allowed_tools?: {
    readonly mode?: unknown;
    readonly tools?: readonly ({ readonly function?: { readonly name?: unknown } } | null)[];
  };
}

function oneOf(names: readonly string[]): Choice {
  return { mode: "ANY", names, offered: null };
}
