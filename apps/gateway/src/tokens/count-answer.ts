import { countTexts } from "./count-prompt.ts";

/** An answer with more text than this is counted by samples of it. */
const MAX_CHARACTERS = 256 * 1024;
const NO_TEXT = new Set(["role", "type", "id"]);

/** Tokens of a complete chat answer whose upstream reported none. `body` is the answer as bytes, one character each. */
export function countAnswer(body: string): number {
  const text = Buffer.from(body, "latin1").toString("utf8");
  return countTexts(gatherMessages(text) ?? [text], MAX_CHARACTERS);
}

/** The texts of every choice, or null where the answer turns out to be none. */
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

/** Every text inside a value except what says which kind it is. Nothing is too deep for it. */
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
