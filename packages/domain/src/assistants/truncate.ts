import type { Message, RunFields } from "./records.ts";

// English has about four bytes to a token, other scripts and code fewer.
const BYTES_PER_TOKEN = 3.5;
const TOKENS_AROUND_MESSAGE = 4;
// What a picture costs depends on its size, which nobody looks at here.
const TOKENS_OF_PICTURE = 800;

/**
 * Which of a thread's messages a model is shown: the newest as the strategy says, and with a limit of tokens no more than
 * are believed to fit. The last one always stays; whether it fits is for the model to say.
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

/** About how many tokens a text has. Only ever compared with a limit that is a best effort itself. */
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
