import type { Behavior } from "@tollgate/testkit/upstream-behaviors.ts";
import { answerAsAnthropic } from "./anthropic-wire.ts";
import { answerAsBedrock } from "./bedrock-wire.ts";
import { answerAsGemini } from "./gemini-wire.ts";
import { answerAsOpenAi } from "./openai-wire.ts";
import { answerAsResponses } from "./responses-wire.ts";

/** A model's answer, independent of the API format. */
export interface SpokenAnswer {
  /** Text of each stream frame. A non-streaming response contains the concatenated text. */
  readonly pieces: readonly string[];
  /** Delay between stream frames. Default: none. */
  readonly paceMs?: number;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  readonly reasoning?: string;
  readonly finish?: "stop" | "length" | "tools" | "filter";
  readonly inputTokens?: number;
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
}

/** Responds to a chat request in the format of its path. */
export function says(answer: SpokenAnswer): Behavior {
  return (exchange) => {
    const { path } = exchange.request;
    if (/\/messages|:(?:streamR|r)awPredict$/.test(path)) return answerAsAnthropic(answer)(exchange);
    if (/:(stream)?generateContent/i.test(path)) return answerAsGemini(answer)(exchange);
    if (/\/converse(?:-stream)?$/.test(path)) return answerAsBedrock(answer)(exchange);
    if (path.endsWith("/responses")) return answerAsResponses(answer)(exchange);
    return answerAsOpenAi(answer)(exchange);
  };
}
