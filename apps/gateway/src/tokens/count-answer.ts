import { countTexts } from "./count-prompt.ts";

/** Maximum number of characters to tokenize in full. Longer responses are sampled. */
const MAX_CHARACTERS = 256 * 1024;
const NO_TEXT = new Set(["role", "type", "id"]);

/**
 * Counts the tokens in a complete chat response that has no reported usage. `body` is encoded one character per byte.
 */
export function countAnswer(body: string): number {
  const text = Buffer.from(body, "latin1").toString("utf8");
  return countTexts(gatherMessages(text) ?? [text], MAX_CHARACTERS);
}

/** Returns the text of all choices, or null if the response is malformed. */
function gatherMessages(text: string): string[] | null {
  try {
    const { choices } = JSON.parse(text) as { readonly choices?: unknown };
    const messages = Array.isArray(choices)
      ? choices.map((choice: { message?: unknown } | null) => choice?.message)
      : [];
    return gatherLeaves(messages);
  } catch {
    return null;
  }
}

/** Returns every string inside a value at any depth, except strings in structural members. */
function gatherLeaves(value: unknown): string[] {
  const texts: string[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    if (typeof next !== "object" || next === null) continue;
    for (const [name, member] of Object.entries(next)) if (!NO_TEXT.has(name)) waiting.push(member);
  }
  return texts;
}
