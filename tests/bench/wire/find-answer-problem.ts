import { jsonAnswerText, longAnswerText, streamedText } from "./chat-answer.ts";

interface ChatChunk {
  readonly model?: unknown;
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } }[];
  readonly usage?: { readonly total_tokens?: unknown } | null;
}

/** Returns the problem with a JSON response body, or null. Checks the model name, the complete text, and the usage. */
export function findJsonProblem(body: string, model: string, isLong = false): string | null {
  const answer = JSON.parse(body);
  if (answer.model !== model) return `the answer names model ${answer.model}, expected ${model}`;
  if (answer.choices?.[0]?.message?.content !== (isLong ? longAnswerText : jsonAnswerText))
    return "the answer's text is not the upstream's";
  if (typeof answer.usage?.total_tokens !== "number") return "the answer has no usage";
  return null;
}

/**
 * Returns the problem with a stream body, or null. Checks the model name in every frame, the complete text, the usage,
 * and the final `[DONE]`.
 */
export function findStreamProblem(body: string, model: string): string | null {
  const frames = body.split("\n\n").filter((frame) => frame !== "");
  if (frames.pop() !== "data: [DONE]") return "the stream does not end with [DONE]";
  let text = "";
  let hasUsage = false;
  for (const frame of frames) {
    const chunk: ChatChunk = JSON.parse(frame.slice("data: ".length));
    if (chunk.model !== model) return `a frame names model ${chunk.model}, expected ${model}`;
    text += chunk.choices?.[0]?.delta?.content ?? "";
    hasUsage ||= typeof chunk.usage?.total_tokens === "number";
  }
  if (text !== streamedText) return "the stream's text is not the upstream's";
  return hasUsage ? null : "the stream has no usage frame, though it was asked for";
}
