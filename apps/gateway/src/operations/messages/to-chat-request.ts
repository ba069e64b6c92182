import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { gatewayFields } from "@tollgate/contracts/inference/shared-fields.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { toChatMessages } from "./to-chat-messages.ts";
import { toChatToolChoice, toChatTools } from "./to-chat-tools.ts";

/** What a chat model can be asked for, and what is known of it. */
export interface ChatAbilities {
  readonly params: ReadonlySet<string>;
  /** Whether it is known to think before it answers. */
  readonly reasons: boolean;
  /** Whether what it cannot do is left out instead of refused. */
  readonly dropsParams: boolean;
  /** Whether its upstream reads which parts of a prompt to cache. */
  readonly keepsMarks: boolean;
}

/** Longer ones are refused by those who take any. */
const MAX_USER = 64;
/** Up to so many tokens of thinking are little, and up to so many are some. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;
const efforts: Readonly<Record<string, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** The name a chat model knows the limit of its answer by. */
export function limitParamOf(params: ReadonlySet<string>): "max_tokens" | "max_completion_tokens" | null {
  if (params.has("max_tokens")) return "max_tokens";
  return params.has("max_completion_tokens") ? "max_completion_tokens" : null;
}

/**
 * The request as one of chat. Texts are characters here. What only makes an answer cheaper or deeper is left out where
 * the model knows no word for it, because clients of this wire send it to every model.
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
    ...(userId != null && params.has("user") && { user: shortUser(userId) }),
    ...(request.stream === true && {
      stream: true,
      ...(params.has("stream_options") && { stream_options: { include_usage: true } }),
    }),
  };
}

/** What the request asks of the gateway itself; what this wire calls metadata is not that. */
function ownFields(request: MessageRequest): Record<string, unknown> {
  const names = Object.keys(request).filter((name) => name in gatewayFields && name !== "metadata");
  return Object.fromEntries(names.map((name) => [name, request[name as keyof MessageRequest]]));
}

function sampling({ temperature, top_p: topP }: MessageRequest, { params, dropsParams }: ChatAbilities): object {
  const sent: Record<string, number> = {};
  for (const [name, value] of Object.entries({ temperature, top_p: topP })) {
    if (value == null) continue;
    if (params.has(name)) sent[name] = value;
    // One is what every model does that is told nothing.
    else if (value !== 1 && !dropsParams) throw unsupported(name);
  }
  return sent;
}

/** How much the model is to think, where the request says anything about it. */
function effortOf({ thinking, output_config: output }: MessageRequest): string | null {
  if (thinking?.type === "disabled") return null;
  if (output?.effort != null) return efforts[output.effort] ?? null;
  const budget = thinking?.budget_tokens;
  if (budget == null) return null;
  return budget <= LOW_BUDGET ? "low" : budget <= MEDIUM_BUDGET ? "medium" : "high";
}

function shortUser(userId: string): string {
  return userId.length <= MAX_USER ? userId : createHash("sha256").update(userId).digest("hex");
}

function unsupported(param: string): Failure {
  return new Failure("unsupported_parameter", `The model does not support '${param}'.`, {
    param,
    fix: "Remove it, or send drop_params: true.",
  });
}
