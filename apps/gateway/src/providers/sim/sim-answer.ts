import type { SimModel } from "./sim-model.ts";
import { makeSchemaValue } from "./sim-schema.ts";
import { makeTokens, seedOf, splitTokens } from "./sim-text.ts";

/** The request fields that simulated models read. */
export interface SimRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly n?: number | null;
  readonly seed?: number | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
  readonly response_format?: {
    readonly type?: unknown;
    readonly json_schema?: { readonly schema?: unknown } | null;
  } | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly tools?: readonly { readonly function?: unknown }[] | null;
}

export interface SimToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The content of one choice, either text tokens or tool calls. */
export interface SimChoice {
  readonly tokens: readonly string[];
  readonly toolCalls: readonly SimToolCall[];
  readonly finishReason: "stop" | "length" | "tool_calls";
}

export interface SimAnswer {
  readonly id: string;
  readonly created: number;
  readonly choices: readonly SimChoice[];
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Creates a response. The same request always gets the same response, except for the creation time. */
export function makeSimAnswer(model: SimModel, request: SimRequest, nowMs: number): SimAnswer {
  const prompt = request.messages.map((message) => textOf(message.content)).join("\n");
  const seed = seedOf(`${model.name} ${model.seed} ${request.seed ?? ""} ${prompt}`);
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => makeChoice(model, request, seed + index, limit));
  const completionTokens = choices.reduce((sum, choice) => sum + countTokens(choice), 0);
  return {
    id: `chatcmpl-sim${seed.toString(36).padStart(8, "0")}`,
    created: Math.floor(nowMs / 1_000),
    choices,
    // Each message adds a few overhead tokens, as with real models.
    promptTokens: splitTokens(prompt).length + 4 * request.messages.length,
    completionTokens,
  };
}

function makeChoice(model: SimModel, request: SimRequest, seed: number, limit: number): SimChoice {
  const toolCalls = callTools(model, request, seed);
  if (toolCalls.length > 0) return { tokens: [], toolCalls, finishReason: "tool_calls" };
  const all = tokensOf(model, request, seed);
  return all.length > limit
    ? { tokens: all.slice(0, limit), toolCalls: [], finishReason: "length" }
    : { tokens: all, toolCalls: [], finishReason: "stop" };
}

/** Returns calls to the offered tools in order, or none if the last message is a tool result. */
function callTools(model: SimModel, request: SimRequest, seed: number): SimToolCall[] {
  const tools = (request.tools ?? []).flatMap((tool) => (isFunction(tool.function) ? [tool.function] : []));
  if (model.name !== "tools" || request.messages.at(-1)?.role === "tool" || tools.length === 0) return [];
  const count = request.parallel_tool_calls === false ? 1 : model.calls;
  return Array.from({ length: count }, (_, index) => {
    const { name, parameters } = tools[index % tools.length] as (typeof tools)[number];
    const callSeed = seed + index;
    return {
      id: `call_${callSeed.toString(36)}`,
      name,
      arguments: JSON.stringify(makeSchemaValue(parameters, callSeed)),
    };
  });
}

function isFunction(value: unknown): value is { readonly name: string; readonly parameters?: unknown } {
  return typeof (value as { readonly name?: unknown } | null | undefined)?.name === "string";
}

function tokensOf(model: SimModel, request: SimRequest, seed: number): string[] {
  const wantsJson =
    model.name === "json" || (request.response_format != null && request.response_format.type !== "text");
  if (wantsJson) {
    return splitTokens(JSON.stringify(makeSchemaValue(request.response_format?.json_schema?.schema, seed)));
  }
  if (model.name === "echo" || model.name === "paid" || model.name === "tools")
    return splitTokens(textToRepeat(request.messages));
  if (model.name === "vision") return splitTokens(describeImages(request));
  return makeTokens(model.tokens, seed);
}

/** Returns the text of the last user message, or of the latest tool results if they follow that message. */
function textToRepeat(messages: SimRequest["messages"]): string {
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  const other = messages.findLastIndex(({ role }, index) => index <= last && role !== "tool");
  const asked = messages.slice(messages[last]?.role === "tool" ? other + 1 : last, last + 1);
  return asked.map(({ content }) => textOf(content)).join(" ");
}

function describeImages(request: SimRequest): string {
  const parts = request.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  const images = parts.filter((part: { type?: string }) => part.type === "image_url").length;
  return `I see ${images} ${images === 1 ? "image" : "images"}.`;
}

function countTokens(choice: SimChoice): number {
  return choice.toolCalls.reduce((sum, call) => sum + splitTokens(call.arguments).length + 8, choice.tokens.length);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join(" ");
}
