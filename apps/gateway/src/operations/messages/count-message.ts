import { countTexts } from "../../tokens/count-prompt.ts";

/** Maximum number of characters to tokenize in full. Longer responses are sampled. */
const MAX_CHARACTERS = 256 * 1024;

interface Block {
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly input?: unknown;
}

/**
 * Counts the tokens in a complete message if the upstream reported no usage. `answer` is the message as a binary
 * string.
 */
export function countMessage(answer: string): number {
  const { content } = JSON.parse(Buffer.from(answer, "latin1").toString("utf8")) as { readonly content?: unknown };
  const blocks = Array.isArray(content) ? (content as (Block | null)[]) : [];
  return countTexts(blocks.flatMap(textsOf), MAX_CHARACTERS);
}

function textsOf(block: Block | null): string[] {
  const { text, thinking, input } = block ?? {};
  const texts = [text, thinking].filter((value) => typeof value === "string");
  return input == null ? texts : [...texts, JSON.stringify(input)];
}
