import { countTexts } from "../../tokens/count-prompt.ts";

/** Maximum number of characters that are counted completely. Longer responses are sampled. */
const MAX_CHARACTERS = 256 * 1024;
/** Members of an item that the model didn't write. */
const NO_TEXT = new Set(["id", "type", "role", "status", "call_id", "encrypted_content"]);

/**
 * Counts the tokens of a complete response if the upstream reported no usage. `body` is the response as a binary
 * string.
 */
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
