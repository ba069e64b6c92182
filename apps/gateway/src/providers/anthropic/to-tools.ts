import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type FunctionDefinition, functionOfTool, readFunction } from "../read-function.ts";
import { cacheMark } from "./content-blocks.ts";
import { fitSchema, type Schema } from "./fit-schema.ts";
import type { Tool, ToolChoice } from "./wire.ts";

type RequestedTools = Pick<
  ChatRequest,
  "tools" | "functions" | "tool_choice" | "function_call" | "parallel_tool_calls"
>;

/** A request's tools and tool choice. */
export interface Tools {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | null;
}

/** Translates tools and legacy functions. `canBeStrict` is true if the model supports strict schemas. */
export function toTools(asked: RequestedTools, canBeStrict: boolean, keepsLong = false): Tools {
  const defined = [
    ...(asked.tools ?? []).map((tool, index) => toTool(tool, canBeStrict, `tools.${index}`, keepsLong)),
    ...(asked.functions ?? []).map((definition, index) =>
      ofFunction(readFunction(definition, `functions.${index}`), canBeStrict),
    ),
  ];
  if (defined.length === 0) return { tools: [], choice: null };
  const { tools, choice } = chooseAmong(defined, asked.tool_choice ?? asked.function_call);
  if (asked.parallel_tool_calls !== false || choice?.type === "none") return { tools, choice };
  return { tools, choice: { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } };
}

/**
 * Translates one tool. A tool of one of the provider's own types, such as `computer_20250124`, is sent unchanged. If the
 * provider charges for it, `fit-parameters.ts` has refused it, unless it has a price.
 */
function toTool(tool: Readonly<Record<string, unknown>>, canBeStrict: boolean, at: string, keepsLong: boolean): Tool {
  if (typeof tool.type === "string" && tool.type !== "function" && tool.type !== "custom") {
    return { ...(tool as unknown as Tool), ...cacheMark(tool, at, keepsLong) };
  }
  if (tool.type === "custom") {
    throw new Failure("unsupported_tool", "This model supports only tools with JSON arguments.", { param: at });
  }
  const definition = functionOfTool(tool, at);
  return {
    ...ofFunction(definition, canBeStrict),
    ...(cacheMark(tool, at, keepsLong) ?? cacheMark(definition, `${at}.function`, keepsLong)),
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
  if (choice === "required" || choice === "any") return { tools, choice: { type: "any" } };
  if (typeof choice === "object") {
    const named = choice as NamedChoice;
    const allowed = named.allowed_tools ?? named;
    if (named.type === "allowed_tools" && Array.isArray(allowed.tools)) return allowedAmong(tools, allowed);
    const name = named.function?.name ?? named.name;
    if (typeof name === "string") return { tools, choice: { type: "tool", name } };
  }
  throw new Failure("invalid_request", "This model does not support this tool_choice.", { param: "tool_choice" });
}

interface AllowedTools {
  readonly mode?: unknown;
  readonly tools?: readonly ({ readonly name?: unknown; readonly function?: { readonly name?: unknown } } | null)[];
}

/** An object that chooses tools. The request schema doesn't cover its members. */
interface NamedChoice extends AllowedTools {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown } | null;
  readonly allowed_tools?: AllowedTools | null;
}

/** Returns only the allowed tools, because the API has no field that limits a request to some of its tools. */
function allowedAmong(tools: readonly Tool[], { mode, tools: allowed = [] }: AllowedTools): Tools {
  const names = new Set(allowed.map((tool) => tool?.function?.name ?? tool?.name));
  const left = tools.filter(({ name }) => names.has(name));
  if (left.length === 0) return { tools, choice: { type: "none" } };
  return { tools: left, choice: { type: mode === "required" ? "any" : "auto" } };
}
