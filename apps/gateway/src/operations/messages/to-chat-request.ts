import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { gatewayFields } from "@tollgate/contracts/inference/shared-fields.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { toChatMessages } from "./to-chat-messages.ts";
import { toChatToolChoice, toChatTools } from "./to-chat-tools.ts";

/** The parameters and known properties of a chat model. */
export interface ChatAbilities {
  readonly params: ReadonlySet<string>;
  /** True if the model is known to reason before it responds. */
  readonly reasons: boolean;
  /** True if unsupported parameters are dropped instead of rejected. */
  readonly dropsParams: boolean;
  /** True if the upstream supports cache marks on parts of a prompt. */
  readonly keepsMarks: boolean;
  /** The client's session ID; null if it sent none. */
  readonly session: string | null;
}

/** Maximum length of `user` and `prompt_cache_key`. Providers reject longer values. */
const MAX_ID = 64;
/** Upper bounds of thinking budgets that map to low and medium effort. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;
const efforts: Readonly<Record<string, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Returns the name of the chat model's output limit parameter. */
export function limitParamOf(params: ReadonlySet<string>): "max_tokens" | "max_completion_tokens" | null {
  if (params.has("max_tokens")) return "max_tokens";
  return params.has("max_completion_tokens") ? "max_completion_tokens" : null;
}

/**
 * Converts the request to a chat request. Strings are decoded text here. Settings that affect only the cost or the
 * reasoning depth are dropped if the model doesn't support them, because Messages API clients send them to every model.
 */
export function toChatRequest(request: MessageRequest, abilities: ChatAbilities): Record<string, unknown> {
  const { params } = abilities;
  const tools = toChatTools(request.tools, abilities.keepsMarks);
  const choice = tools.length === 0 ? null : toChatToolChoice(request.tool_choice);
  const isSingle = (request.tool_choice as { readonly disable_parallel_tool_use?: unknown } | null | undefined)
    ?.disable_parallel_tool_use;
  const limitParam = limitParamOf(params);
  const effort = effortOf(request);
  const format = request.output_config?.format;
  const userId = request.metadata?.user_id;
  // Upstreams with a cache key don't need marks. Agents include the session in the user ID.
  const cacheKey = abilities.session ?? userId;
  return {
    ...ownFields(request),
    model: request.model,
    messages: toChatMessages(request, abilities.keepsMarks),
    ...(limitParam !== null && { [limitParam]: request.max_tokens }),
    ...sampling(request, abilities),
    ...(request.stop_sequences != null && request.stop_sequences.length > 0 && { stop: request.stop_sequences }),
    ...(tools.length > 0 && { tools }),
    ...(choice !== null && { tool_choice: choice }),
    ...(isSingle === true && tools.length > 0 && params.has("parallel_tool_calls") && { parallel_tool_calls: false }),
    ...(effort !== null && abilities.reasons && params.has("reasoning_effort") && { reasoning_effort: effort }),
    ...(format != null && {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: format.schema, strict: true } },
    }),
    ...(userId != null && params.has("user") && { user: shortId(userId) }),
    ...(cacheKey != null && params.has("prompt_cache_key") && { prompt_cache_key: shortId(cacheKey) }),
    ...(request.stream === true && {
      stream: true,
      ...(params.has("stream_options") && { stream_options: { include_usage: true } }),
    }),
  };
}

/** Returns the request's gateway fields. In the Messages API, `metadata` isn't a gateway field. */
function ownFields(request: MessageRequest): Record<string, unknown> {
  const names = Object.keys(request).filter((name) => name in gatewayFields && name !== "metadata");
  return Object.fromEntries(names.map((name) => [name, request[name as keyof MessageRequest]]));
}

function sampling({ temperature, top_p: topP }: MessageRequest, { params, dropsParams }: ChatAbilities): object {
  const sent: Record<string, number> = {};
  for (const [name, value] of Object.entries({ temperature, top_p: topP })) {
    if (value == null) continue;
    if (params.has(name)) sent[name] = value;
    // Both parameters default to 1 for every model.
    else if (value !== 1 && !dropsParams) throw unsupported(name);
  }
  return sent;
}

/** Returns the requested reasoning effort, or null if the request sets none. */
function effortOf({ thinking, output_config: output }: MessageRequest): string | null {
  if (thinking?.type === "disabled") return null;
  if (output?.effort != null) return efforts[output.effort] ?? null;
  const budget = thinking?.budget_tokens;
  if (budget == null) return null;
  return budget <= LOW_BUDGET ? "low" : budget <= MEDIUM_BUDGET ? "medium" : "high";
}

function shortId(id: string): string {
  return id.length <= MAX_ID ? id : createHash("sha256").update(id).digest("hex");
}

function unsupported(param: string): Failure {
  return new Failure("unsupported_parameter", `The model does not support '${param}'.`, {
    param,
    fix: "Remove it, or send drop_params: true.",
  });
}
