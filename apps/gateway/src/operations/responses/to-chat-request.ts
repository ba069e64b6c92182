import { Failure } from "@tollgate/contracts/failures.ts";
import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { asFunction } from "./custom-tools.ts";
import { type InputItem, toMessages } from "./to-messages.ts";
import { chatNameOf, flatTools } from "./tool-names.ts";

type Fields = Record<string, unknown>;
type Tool = Readonly<Record<string, unknown>>;

/** Parameters with the same name in both APIs. They are sent only if the chat model supports them. */
const sameNames = [
  "temperature",
  "top_p",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "service_tier",
] as const;
/** Fields that the gateway itself reads when it adapts a request to its target. */
const ownNames = ["drop_params", "allowed_openai_params", "additional_drop_params", "extra_body"] as const;

/** Converts the request for a chat model that supports these parameters. Unsupported hints are dropped. */
export function toChatRequest(
  request: ResponseRequest,
  takes: ReadonlySet<string>,
  dropped: ReadonlySet<string>,
): Fields {
  const fields: Fields = {
    model: request.model,
    messages: toMessages(request.instructions ?? null, request.input as string | readonly InputItem[]),
  };
  const given = request as Fields;
  for (const name of sameNames) if (given[name] != null && takes.has(name)) fields[name] = given[name];
  for (const name of ownNames) if (given[name] != null) fields[name] = given[name];
  if (request.stream === true) {
    fields.stream = true;
    if (takes.has("stream_options")) fields.stream_options = { include_usage: true };
  }
  const limitParam = limitParamOf(takes);
  if (request.max_output_tokens != null && limitParam !== null && !dropped.has("max_output_tokens")) {
    fields[limitParam] = request.max_output_tokens;
  }
  if (!dropped.has("tools")) addTools(fields, request, takes);
  if (!dropped.has("text")) addFormat(fields, request, takes);
  const effort = request.reasoning?.effort;
  if (effort != null && takes.has("reasoning_effort") && !dropped.has("reasoning")) fields.reasoning_effort = effort;
  return fields;
}

/** Returns the name of the chat model's output limit parameter. */
export function limitParamOf(takes: ReadonlySet<string>): "max_tokens" | "max_completion_tokens" | null {
  if (takes.has("max_completion_tokens")) return "max_completion_tokens";
  return takes.has("max_tokens") ? "max_tokens" : null;
}

function addTools(fields: Fields, request: ResponseRequest, takes: ReadonlySet<string>): void {
  const { tools, tool_choice: choice, parallel_tool_calls: isParallel } = request;
  if (tools == null || tools.length === 0) return;
  const allowed = allowedNames(choice);
  const offered = flatTools(tools).filter(({ tool }) => allowed === null || allowed.has(String(tool.name)));
  fields.tools = offered.map(({ tool, namespace }) => toTool(tool, chatNameOf(String(tool.name), namespace)));
  if (choice != null && takes.has("tool_choice")) fields.tool_choice = toChoice(choice);
  // If the model can't disable parallel tool calls, the client can still run them one at a time.
  if (isParallel != null && takes.has("parallel_tool_calls")) fields.parallel_tool_calls = isParallel;
}

function toTool(tool: Tool, name: string): object {
  if (tool.type === "custom") return { type: "function", function: asFunction(tool, name) };
  if (tool.type !== "function") {
    throw new Failure("unsupported_tool", "The model supports only tools of type 'function' and 'custom'.", {
      param: "tools",
    });
  }
  const { description, parameters, strict } = tool;
  return {
    type: "function",
    function: {
      name,
      ...(description != null && { description }),
      ...(parameters != null && { parameters }),
      ...(strict != null && { strict }),
    },
  };
}

type Choice = NonNullable<ResponseRequest["tool_choice"]>;

function toChoice(choice: Choice): unknown {
  if (typeof choice === "string") return choice;
  const { type, name, namespace, mode } = choice as Tool;
  if (type === "allowed_tools") return mode ?? "auto";
  return typeof name === "string" ? { type: "function", function: { name: chatNameOf(name, namespace) } } : "auto";
}

/** Returns the names of the allowed tools, or null if all are allowed. */
function allowedNames(choice: ResponseRequest["tool_choice"]): ReadonlySet<string> | null {
  if (typeof choice !== "object" || choice === null || choice.type !== "allowed_tools") return null;
  const { tools } = choice as { readonly tools?: unknown };
  return new Set(Array.isArray(tools) ? tools.map((tool: Tool | null) => String(tool?.name)) : []);
}

function addFormat(fields: Fields, { text, drop_params: drops }: ResponseRequest, takes: ReadonlySet<string>): void {
  if (text?.verbosity != null && takes.has("verbosity")) fields.verbosity = text.verbosity;
  const format = text?.format;
  if (format == null || format.type === "text") return;
  if (!takes.has("response_format")) {
    if (drops === true) return;
    throw new Failure("unsupported_parameter", "The model does not support 'text.format'.", { param: "text.format" });
  }
  if (format.type === "json_object") fields.response_format = { type: "json_object" };
  else {
    const { type: _, ...schema } = format;
    fields.response_format = { type: "json_schema", json_schema: schema };
  }
}
