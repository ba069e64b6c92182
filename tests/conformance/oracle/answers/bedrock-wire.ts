import { AMAZON_EVENTS, amazonEvent, converseAnswer } from "@tollgate/testkit/amazon-event-stream.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import type { SpokenAnswer } from "./spoken-answer.ts";

const reasons = { stop: "end_turn", length: "max_tokens", tools: "tool_use", filter: "content_filtered" } as const;

/** Responds in Amazon's Converse format. The path determines whether the response is streamed. */
export function answerAsBedrock(answer: SpokenAnswer): Behavior {
  return (exchange) => {
    const stopReason = reasons[answer.finish ?? "stop"];
    if (!exchange.request.path.endsWith("/converse-stream")) {
      return reply(200, converseAnswer(blocksOf(answer), stopReason, usageOf(answer)))(exchange);
    }
    const frames = [
      amazonEvent("messageStart", { role: "assistant" }),
      ...blockFrames(answer),
      amazonEvent("messageStop", { stopReason }),
      amazonEvent("metadata", { usage: usageOf(answer), metrics: { latencyMs: 12 } }),
    ];
    return streamFrames(frames, { delayMs: answer.paceMs ?? 0, headers: AMAZON_EVENTS })(exchange);
  };
}

function blocksOf({ pieces, toolCalls = [] }: SpokenAnswer): readonly object[] {
  const text = pieces.join("");
  return [
    ...(text === "" ? [] : [{ text }]),
    ...toolCalls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
}

function blockFrames({ pieces, toolCalls = [] }: SpokenAnswer): readonly Buffer[] {
  const calls = toolCalls.flatMap(({ id, name, input }, place) => {
    const contentBlockIndex = place + 1;
    return [
      amazonEvent("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }),
      amazonEvent("contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(input) } } }),
      amazonEvent("contentBlockStop", { contentBlockIndex }),
    ];
  });
  return [
    ...pieces.map((text) => amazonEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text } })),
    ...(pieces.length === 0 ? [] : [amazonEvent("contentBlockStop", { contentBlockIndex: 0 })]),
    ...calls,
  ];
}

function usageOf({ inputTokens = 9, outputTokens = 12 }: SpokenAnswer): object {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
