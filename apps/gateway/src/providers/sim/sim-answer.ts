import type { SimModel } from "./sim-model.ts";
import { makeSchemaValue } from "./sim-schema.ts";
import { makeTokens, seedOf, splitTokens } from "./sim-text.ts";

/** The request fields the simulated models look at. */
export interface SimRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly n?: number | null;
  readonly seed?: number | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema?: unknown } } | null;
  readonly tools?: readonly { readonly function?: { readonly name: string; readonly parameters?: unknown } }[] | null;
}

/** What one choice of an answer holds. */
export interface SimChoice {
  readonly tokens: readonly string[];
  readonly toolCall: { readonly id: string; readonly name: string; readonly arguments: string } | null;
  readonly finishReason: "stop" | "length" | "tool_calls";
}

export interface SimAnswer {
  readonly id: string;
  readonly created: number;
  readonly choices: readonly SimChoice[];
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The same request gives the same answer, but for the time it was made at. */
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
    // Each message costs a few tokens of framing, as real models count it.
    promptTokens: splitTokens(prompt).length + 4 * request.messages.length,
    completionTokens,
  };
}

function makeChoice(model: SimModel, request: SimRequest, seed: number, limit: number): SimChoice {
  const tool = model.name === "tools" ? request.tools?.[0]?.function : undefined;
  const hasToolAnswer = request.messages.at(-1)?.role === "tool";
  if (tool !== undefined && !hasToolAnswer) {
    const call = JSON.stringify(makeSchemaValue(tool.parameters, seed));
    return {
      tokens: [],
      toolCall: { id: `call_${seed.toString(36)}`, name: tool.name, arguments: call },
      finishReason: "tool_calls",
    };
  }
  const all = tokensOf(model, request, seed);
  return all.length > limit
    ? { tokens: all.slice(0, limit), toolCall: null, finishReason: "length" }
    : { tokens: all, toolCall: null, finishReason: "stop" };
}

function tokensOf(model: SimModel, request: SimRequest, seed: number): string[] {
  const asked = request.messages.findLast((message) => message.role === "user" || message.role === "tool");
  const wantsJson =
    model.name === "json" || (request.response_format != null && request.response_format.type !== "text");
  if (wantsJson) {
    return splitTokens(JSON.stringify(makeSchemaValue(request.response_format?.json_schema?.schema, seed)));
  }
  if (model.name === "echo" || model.name === "paid" || model.name === "tools")
    return splitTokens(textOf(asked?.content));
  if (model.name === "vision") return splitTokens(describeImages(request));
  return makeTokens(model.tokens, seed);
}

function describeImages(request: SimRequest): string {
  const parts = request.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  const images = parts.filter((part: { type?: string }) => part.type === "image_url").length;
  return `I see ${images} ${images === 1 ? "image" : "images"}.`;
}

function countTokens(choice: SimChoice): number {
  return choice.toolCall === null ? choice.tokens.length : splitTokens(choice.toolCall.arguments).length + 8;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join(" ");
}
