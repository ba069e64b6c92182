import { type ErrorContext, explanationOf } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { TranslatedCall } from "../../call/provider.ts";

/** The state of a response when it is written. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly object[];
  readonly usage: Usage | null;
  readonly incompleteReason?: string | null;
  readonly error?: ResponseError | null;
}

/** The error of a failed response. */
export interface ResponseError {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  readonly doc_url: string;
  readonly request_id: string;
}

/** The request's settings that a response repeats. */
export type ResponseEcho = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly tools: NonNullable<ResponseRequest["tools"]>;
};

/**
 * Returns the members that are the same in every state of a response. Must be called while the request is available.
 */
export function echoOf(call: TranslatedCall<ResponseRequest>): ResponseEcho {
  const request = readableRequest(call.body);
  const id = call.conversation?.id ?? `resp_${"0".repeat(32)}`;
  return {
    id,
    object: "response",
    created_at: createdAt(id),
    background: false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: call.model.shownName,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: call.conversation?.previousId ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    store: call.conversation?.isKept ?? false,
    temperature: request.temperature ?? 1,
    text: { format: { type: "text" }, ...withoutNull(request.text ?? {}) },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

/** Writes a response in one of its states. Strings are decoded text. */
export function toResponse(echo: ResponseEcho, state: ResponseState): Readonly<Record<string, unknown>> {
  const { status, output, usage, incompleteReason = null, error = null } = state;
  return {
    ...echo,
    status,
    error,
    incomplete_details: incompleteReason === null ? null : { reason: incompleteReason },
    output,
    usage: usage === null ? null : publicUsage(usage),
  };
}

/** Returns the error of a response that failed after it had begun. */
export function responseErrorOf(failure: Failure, context: ErrorContext): ResponseError {
  return { code: failure.code, message: failure.message, ...explanationOf(failure, context) };
}

/** Converts usage to the Responses format. */
export function publicUsage(usage: Usage): object {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}

/** Returns the creation time. The ID begins with the time of the call in milliseconds. */
function createdAt(id: string): number {
  const start = "resp_".length;
  return Math.floor(Number.parseInt(id.slice(start, start + 12), 16) / 1_000);
}

function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
