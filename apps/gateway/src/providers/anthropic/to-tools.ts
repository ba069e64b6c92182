import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { cacheMark } from "./content-blocks.ts";
import { fitSchema, type Schema } from "./fit-schema.ts";
import type { Tool, ToolChoice } from "./wire.ts";

type RequestedTools = Pick<
  ChatRequest,
  "tools" | "functions" | "tool_choice" | "function_call" | "parallel_tool_calls"
>;

interface FunctionDefinition extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
  readonly strict?: boolean | null;
}

/** A request's tools and tool choice. */
export interface Tools {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | null;
}

/** Translates tools and legacy functions. `canBeStrict` is true if the model supports strict schemas. */
export function toTools(asked: RequestedTools, canBeStrict: boolean): Tools {
  const defined = [
    ...(asked.tools ?? []).map((tool, index) => toTool(tool, canBeStrict, `tools.${index}`)),
    ...(asked.functions ?? []).map((definition) => ofFunction(definition as FunctionDefinition, canBeStrict)),
  ];
  if (defined.length === 0) return { tools: [], choice: null };
  const { tools, choice } = chooseAmong(defined, asked.tool_choice ?? asked.function_call);
  if (asked.parallel_tool_calls !== false || choice?.type === "none") return { tools, choice };
  return { tools, choice: { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } };
}

function toTool(tool: Readonly<Record<string, unknown>>, canBeStrict: boolean, at: string): Tool {
  const definition = tool.function as FunctionDefinition | undefined;
  if (definition === undefined) {
    throw new Failure("unsupported_tool", "This model supports only tools with JSON arguments.", { param: at });
  }
  return {
    ...ofFunction(definition, canBeStrict),
    ...(cacheMark(tool, at) ?? cacheMark(definition, `${at}.function`)),
  };
}

function ofFunction({ name, description, parameters, strict }: FunctionDefinition, canBeStrict: boolean): Tool {
  const schema: Schema = { type: "object", ...(parameters ?? { properties: {} }) };
  const fitted = strict === true && canBeStrict ? fitSchema(schema) : null;
  return {
    name,
    ...(description != null && { description }),
    input_schema: fitted ?? schema,
    ...(fitted !== null && { strict: true }),
  };
}

type Choice = RequestedTools["tool_choice"] | RequestedTools["function_call"];

function chooseAmong(tools: readonly Tool[], choice: Choice): Tools {
  if (choice == null || choice === "auto") return { tools, choice: choice == null ? null : { type: "auto" } };
  if (choice === "none") return { tools, choice: { type: "none" } };
  if (choice === "required") return { tools, choice: { type: "any" } };
  const named = choice as {
    readonly type?: string;
    readonly name?: string;
    readonly function?: { readonly name?: string };
    readonly allowed_tools?: AllowedTools;
  };
  if (named.type === "allowed_tools") return allowedAmong(tools, named.allowed_tools ?? (named as AllowedTools));
  const name = named.function?.name ?? named.name;
  if (name !== undefined) return { tools, choice: { type: "tool", name } };
  throw new Failure("invalid_request", "This model does not support this tool_choice.", { param: "tool_choice" });
}

interface AllowedTools {
  readonly mode?: string;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name?: string } }[];
}

/** Returns only the allowed tools, because the API has no field that limits a request to some of its tools. */
function allowedAmong(tools: readonly Tool[], { mode, tools: allowed = [] }: AllowedTools): Tools {
  const names = new Set(allowed.map((tool) => tool.function?.name ?? tool.name));
  const left = tools.filter(({ name }) => names.has(name));
  if (left.length === 0) return { tools, choice: { type: "none" } };
  return { tools: left, choice: { type: mode === "required" ? "any" : "auto" } };
}
