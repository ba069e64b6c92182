import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import type { SpokenAnswer } from "./spoken-answer.ts";

const CREATED = 1_700_000_000;

/** Responds in the Responses format, as a stream of typed events if requested. */
export function answerAsResponses(answer: SpokenAnswer): Behavior {
  return (exchange) => {
    const { stream } = exchange.request.json() as { stream?: boolean };
    if (stream !== true) return reply(200, responseOf(answer, "completed"))(exchange);
    return streamFrames(frames(answer), { delayMs: answer.paceMs ?? 0 })(exchange);
  };
}

function responseOf(answer: SpokenAnswer, status: "in_progress" | "completed"): object {
  const isWhole = status === "completed";
  return {
    id: "resp_scripted",
    object: "response",
    created_at: CREATED,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    model: "gpt-4.1-2025-04-14",
    output: isWhole ? itemsOf(answer) : [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: isWhole ? usageOf(answer) : null,
    metadata: {},
  };
}

function itemsOf({ pieces, toolCalls = [] }: SpokenAnswer): readonly object[] {
  return [
    ...(pieces.length === 0 ? [] : [messageOf([textPart(pieces.join(""))], "completed")]),
    ...toolCalls.map(({ id, name, input }) => callOf(id, name, JSON.stringify(input), "completed")),
  ];
}

function messageOf(content: readonly object[], status: string): object {
  return { id: "msg_scripted", type: "message", status, role: "assistant", content };
}

function textPart(text: string): object {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function callOf(callId: string, name: string, text: string, status: string): object {
  return { id: `fc_${callId}`, type: "function_call", status, call_id: callId, name, arguments: text };
}

function frames(answer: SpokenAnswer): readonly string[] {
  const text = answer.pieces.join("");
  const place = { item_id: "msg_scripted", output_index: 0, content_index: 0 };
  const spoken: readonly (readonly [string, object])[] = [
    ["output_item.added", { output_index: 0, item: messageOf([], "in_progress") }],
    ["content_part.added", { ...place, part: textPart("") }],
    ...answer.pieces.map((delta) => ["output_text.delta", { ...place, delta, logprobs: [] }] as const),
    ["output_text.done", { ...place, text, logprobs: [] }],
    ["content_part.done", { ...place, part: textPart(text) }],
    ["output_item.done", { output_index: 0, item: messageOf([textPart(text)], "completed") }],
  ];
  const called = (answer.toolCalls ?? []).flatMap(({ id, name, input }, index) => {
    const written = JSON.stringify(input);
    const at = { item_id: `fc_${id}`, output_index: index };
    return [
      ["output_item.added", { output_index: index, item: callOf(id, name, "", "in_progress") }],
      ["function_call_arguments.delta", { ...at, delta: written }],
      ["function_call_arguments.done", { ...at, name, arguments: written }],
      ["output_item.done", { output_index: index, item: callOf(id, name, written, "completed") }],
    ] as const;
  });
  const all: readonly (readonly [string, object])[] = [
    ["created", { response: responseOf(answer, "in_progress") }],
    ["in_progress", { response: responseOf(answer, "in_progress") }],
    ...(answer.pieces.length === 0 ? [] : spoken),
    ...called,
    ["completed", { response: responseOf(answer, "completed") }],
  ];
  return all.map(([name, fields], number) => {
    const type = `response.${name}`;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`;
  });
}

function usageOf({ inputTokens = 9, cachedTokens = 0, outputTokens = 12, reasoningTokens = 0 }: SpokenAnswer): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
