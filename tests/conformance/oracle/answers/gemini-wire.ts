import { sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import type { SpokenAnswer } from "./spoken-answer.ts";

const reasons = { stop: "STOP", length: "MAX_TOKENS", tools: "STOP", filter: "SAFETY" } as const;

/** Responds in Google's format. The path determines whether the response is streamed. */
export function answerAsGemini(answer: SpokenAnswer): Behavior {
  return (exchange) => {
    const parts = partsOf(answer);
    if (!exchange.request.path.includes(":streamGenerateContent")) {
      return reply(200, chunk(parts, answer, true))(exchange);
    }
    return streamFrames(parts.map((part, index) => sseFrame(chunk([part], answer, index === parts.length - 1))))(
      exchange,
    );
  };
}

function partsOf({ pieces, toolCalls = [], reasoning }: SpokenAnswer): readonly object[] {
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...pieces.map((text) => ({ text })),
    ...toolCalls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
}

function chunk(parts: readonly object[], answer: SpokenAnswer, isLast: boolean): object {
  const { inputTokens = 9, cachedTokens = 0, outputTokens = 12, reasoningTokens = 0 } = answer;
  return {
    candidates: [
      {
        content: { role: "model", parts },
        index: 0,
        ...(isLast && { finishReason: reasons[answer.finish ?? "stop"] }),
      },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens - reasoningTokens,
      totalTokenCount: inputTokens + outputTokens,
      ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
      ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
      promptTokensDetails: [{ modality: "TEXT", tokenCount: inputTokens }],
    },
    modelVersion: "gemini-2.5-flash",
    responseId: "scripted",
  };
}
