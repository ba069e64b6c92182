import type { Message, RunFields } from "./records.ts";

// English has about four bytes per token. Other scripts and code have fewer.
const BYTES_PER_TOKEN = 3.5;
const TOKENS_AROUND_MESSAGE = 4;
// An image's cost depends on its size, which isn't read here.
const TOKENS_OF_PICTURE = 800;

/**
 * Selects the thread messages to send: the newest messages that the strategy allows and, with a token limit, as many as
 * are estimated to fit. Always includes the last message. If it doesn't fit, the model rejects it.
 */
export function truncateHistory(
  history: readonly Message[],
  strategy: RunFields["truncation_strategy"],
  roomTokens: number | null,
): readonly Message[] {
  const wanted =
    strategy.type === "last_messages" && strategy.last_messages !== null
      ? history.slice(-strategy.last_messages)
      : history;
  if (roomTokens === null) return wanted;
  let first = wanted.length;
  let left = roomTokens;
  while (first > 0) {
    left -= estimateMessage(wanted[first - 1] as Message);
    if (left < 0 && first < wanted.length) break;
    first -= 1;
  }
  return wanted.slice(first);
}

/** Estimates the number of tokens in a string. An estimate is enough, because the limits are also best effort. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function estimateMessage({ fields }: Message): number {
  const parts = fields.content.map((part) => {
    if (part.type === "text") return estimateTokens(part.text.value);
    return part.type === "refusal" ? estimateTokens(part.refusal) : TOKENS_OF_PICTURE;
  });
  return parts.reduce((sum, tokens) => sum + tokens, TOKENS_AROUND_MESSAGE);
}
