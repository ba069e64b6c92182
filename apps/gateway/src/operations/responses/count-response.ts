import { countTexts } from "../../tokens/count-prompt.ts";

/** An answer with more text than this is counted by samples of it. */
const MAX_CHARACTERS = 256 * 1024;
/** What an item says of itself that no model wrote. */
const NO_TEXT = new Set(["id", "type", "role", "status", "call_id", "encrypted_content"]);

/** Tokens of a complete response whose upstream reported none. `body` is the answer as bytes, one character each. */
export function countResponse(body: string): number {
  const { output } = JSON.parse(Buffer.from(body, "latin1").toString("utf8")) as { readonly output?: unknown };
  const texts: string[] = [];
  const waiting: unknown[] = [output];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    if (typeof next !== "object" || next === null) continue;
    for (const [name, member] of Object.entries(next)) if (!NO_TEXT.has(name)) waiting.push(member);
  }
  return countTexts(texts, MAX_CHARACTERS);
}
