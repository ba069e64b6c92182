import { DONE_FRAME, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import type { SpokenAnswer } from "./spoken-answer.ts";

const CREATED = 1_700_000_000;
const reasons = { stop: "stop", length: "length", tools: "tool_calls", filter: "content_filter" } as const;

/** Responds with a chat completion, streamed if requested. */
export function answerAsOpenAi(answer: SpokenAnswer): Behavior {
  return (exchange) => {
    const asked = exchange.request.json() as { stream?: boolean; stream_options?: { include_usage?: boolean } };
    if (asked.stream !== true) return reply(200, wholeAnswer(answer))(exchange);
    const all = [...frames(answer, asked.stream_options?.include_usage === true), DONE_FRAME];
    return streamFrames(all, { delayMs: answer.paceMs ?? 0 })(exchange);
  };
}

function wholeAnswer(answer: SpokenAnswer): object {
  const toolCalls = answer.toolCalls?.map(({ id, name, input }) => toolCall(id, name, JSON.stringify(input)));
  const message = {
    role: "assistant",
    content: toolCalls ? null : answer.pieces.join(""),
    refusal: null,
    ...(toolCalls && { tool_calls: toolCalls }),
    ...(answer.reasoning !== undefined && { reasoning_content: answer.reasoning }),
  };
  const finish_reason = reasons[answer.finish ?? "stop"];
  return {
    ...head("chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: usageOf(answer),
  };
}

function frames(answer: SpokenAnswer, withUsage: boolean): readonly string[] {
  const usage = withUsage ? { usage: null } : {};
  const frame = (delta: object, finish_reason: string | null = null) =>
    sseFrame({
      ...head("chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...usage,
    });
  const tools = (answer.toolCalls ?? []).flatMap(({ id, name, input }, index) => [
    frame({ tool_calls: [{ index, ...toolCall(id, name, "") }] }),
    frame({ tool_calls: [{ index, function: { arguments: JSON.stringify(input) } }] }),
  ]);
  return [
    frame({ role: "assistant", content: tools.length > 0 ? null : "", refusal: null }),
    ...(answer.reasoning === undefined ? [] : [frame({ reasoning_content: answer.reasoning })]),
    ...answer.pieces.map((content) => frame({ content })),
    ...tools,
    frame({}, reasons[answer.finish ?? "stop"]),
    ...(withUsage ? [sseFrame({ ...head("chat.completion.chunk"), choices: [], usage: usageOf(answer) })] : []),
  ];
}

function head(object: string): object {
  return {
    id: "chatcmpl-scripted",
    object,
    created: CREATED,
    model: "gpt-4o-mini-2024-07-18",
    service_tier: "default",
    system_fingerprint: "fp_scripted",
  };
}

function toolCall(id: string, name: string, text: string): object {
  return { id, type: "function", function: { name, arguments: text } };
}

function usageOf({ inputTokens = 9, cachedTokens = 0, outputTokens = 12, reasoningTokens = 0 }: SpokenAnswer): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
