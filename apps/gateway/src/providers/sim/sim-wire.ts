import type { Failure } from "@tollgate/contracts/failures.ts";
import type { SimAnswer, SimChoice, SimRequest, SimToolCall } from "./sim-answer.ts";
import type { SimFailure, SimModel } from "./sim-model.ts";

/** Writes a complete response in the OpenAI format. */
export function writeAnswer(model: SimModel, answer: SimAnswer): string {
  return JSON.stringify({
    id: answer.id,
    object: "chat.completion",
    created: answer.created,
    model: `sim-${model.name}`,
    system_fingerprint: "fp_sim",
    choices: answer.choices.map((choice, index) => ({
      index,
      finish_reason: choice.finishReason,
      logprobs: null,
      message: messageOf(choice),
    })),
    usage: usageOf(answer),
  });
}

/** Writes the frames of a streamed response in order, without the closing frame. */
export function* writeFrames(model: SimModel, answer: SimAnswer, request: SimRequest): Generator<string> {
  const head = { id: answer.id, object: "chat.completion.chunk", created: answer.created, model: `sim-${model.name}` };
  const asksUsage = request.stream_options?.include_usage === true;
  const frame = (choices: unknown[], usage: unknown = null) =>
    `data: ${JSON.stringify({ ...head, choices, ...(asksUsage && { usage }) })}\n\n`;
  for (const [index, choice] of answer.choices.entries()) {
    const delta = (content: Record<string, unknown>) =>
      frame([{ index, delta: content, finish_reason: null, logprobs: null }]);
    yield delta({ role: "assistant", content: choice.toolCalls.length === 0 ? "" : null });
    yield* choice.toolCalls.length === 0 ? textDeltas(choice, delta) : toolDeltas(choice.toolCalls, delta);
    yield frame([{ index, delta: {}, finish_reason: choice.finishReason, logprobs: null }]);
  }
  if (asksUsage) yield frame([], usageOf(answer));
}

/** Returns the status and body of a failure, in the format of real upstreams. */
export function writeFailure(failure: SimFailure): { status: number; body: string } {
  if ("kind" in failure) {
    const [status, code, message] = failuresByKind[failure.kind];
    return { status, body: errorBody(code, message) };
  }
  return {
    status: failure.status,
    body: errorBody(null, `The simulated model is configured to fail with ${failure.status}.`),
  };
}

/** Writes an error that the simulated upstream itself reports. */
export function writeRefusal({ code, message }: Failure): string {
  return errorBody(code, message);
}

const failuresByKind = {
  context: [400, "context_length_exceeded", "This model's maximum context length is 32768 tokens."],
  policy: [400, "content_policy_violation", "The request was refused for policy reasons."],
  schema: [500, "json_schema_validation_failed", "The response does not match the schema."],
} as const;

function errorBody(code: string | null, message: string): string {
  return JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
}

function* textDeltas(choice: SimChoice, delta: (content: Record<string, unknown>) => string): Generator<string> {
  for (const token of choice.tokens) yield delta({ content: token });
}

function* toolDeltas(
  calls: readonly SimToolCall[],
  delta: (content: Record<string, unknown>) => string,
): Generator<string> {
  for (const [index, call] of calls.entries()) {
    const opening = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    yield delta({ tool_calls: [opening] });
    const half = Math.ceil(call.arguments.length / 2);
    for (const fragment of [call.arguments.slice(0, half), call.arguments.slice(half)]) {
      if (fragment !== "") yield delta({ tool_calls: [{ index, function: { arguments: fragment } }] });
    }
  }
}

function messageOf(choice: SimChoice): Record<string, unknown> {
  if (choice.toolCalls.length === 0)
    return { role: "assistant", content: choice.tokens.join(""), refusal: null, annotations: [] };
  return {
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: choice.toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: given },
    })),
  };
}

function usageOf(answer: SimAnswer): Record<string, unknown> {
  return {
    prompt_tokens: answer.promptTokens,
    completion_tokens: answer.completionTokens,
    total_tokens: answer.promptTokens + answer.completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}
