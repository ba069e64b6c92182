import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";

interface FunctionDefinition {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: object | null;
  readonly strict?: boolean | null;
}

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
  return {
    ...(tools.length > 0 && { tools }),
    ...(declarations.length > 0 &&
      mode !== null && {
        toolConfig: { functionCallingConfig: { mode, ...(choice.names && { allowedFunctionNames: choice.names }) } },
      }),
  };
}

function functionsOf({ tools, functions }: ToolRequest): readonly FunctionDefinition[] {
  const ofTools = (tools ?? []).map((tool, index): FunctionDefinition => {
    if (tool.type === "function") return tool.function as FunctionDefinition;
    throw new Failure("unsupported_tool", "This model supports only tools of type 'function'.", {
      param: `tools.${index}.type`,
    });
  });
  return [...ofTools, ...((functions ?? []) as readonly FunctionDefinition[])];
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
const modes: Readonly<Record<string, string>> = { none: "NONE", auto: "AUTO", required: "ANY" };

function readChoice({ tool_choice: choice, function_call: older }: ToolRequest): Choice {
  if (choice != null) {
    if (typeof choice === "string") return { ...NO_CHOICE, mode: modes[choice] ?? null };
    return readChoiceObject(choice);
  }
  if (older == null) return NO_CHOICE;
  return typeof older === "string" ? { ...NO_CHOICE, mode: modes[older] ?? null } : oneOf([older.name]);
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
  throw new Failure("invalid_request", "Invalid tool_choice.", { param: "tool_choice" });
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
