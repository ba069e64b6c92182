import { readConversation, type StoredContent } from "./read-conversation.ts";
import { readCutJson } from "./read-cut-json.ts";

/** Combining marks after the first 30 in a row. No written language has that many. */
const EXCESS_MARKS = /(?<=\p{M}{30})\p{M}+/gu;

/** Prepares a text to search for. Letter case and the form in which accents are encoded do not matter. */
export function searchable(text: string): string {
  // The time to order the marks of a character is quadratic in their number: two seconds for 32,000.
  return text.replaceAll(EXCESS_MARKS, "").normalize("NFC").toLowerCase();
}

/**
 * Reports whether a stored request or response contains a text that is `searchable`. Searches the texts and tool calls of
 * messages, not the JSON around them. If the request isn't a conversation, searches all values of both.
 */
export function hasText(content: StoredContent, text: string): boolean {
  const isIn = (value: string) => searchable(value).includes(text);
  const messages = readConversation(content);
  if (messages === null) return anyValue(content.request, isIn) || anyValue(content.answer, isIn);
  return messages.some(({ pieces }) =>
    pieces.some((piece) => {
      if (piece.kind === "text") return isIn(piece.text);
      return piece.kind === "tool_call" && (isIn(piece.name) || isIn(readable(piece.input)));
    }),
  );
}

/** Returns the strings in a tool's arguments without JSON escapes, or the arguments unchanged if they aren't JSON. */
function readable(input: string): string {
  const strings: string[] = [];
  anyValue(input, (value) => {
    strings.push(value);
    return false;
  });
  return strings.join("\n");
}

/** Calls `test` with each string and number in JSON text, without keys, until one passes. Other text is one value. */
function anyValue(text: string, test: (value: string) => boolean): boolean {
  const body = readCutJson(text);
  if (body === null) return test(text);
  // Not recursive, because thousands of brackets could use up the stack.
  const open = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string" || typeof value === "number") {
      if (test(String(value))) return true;
    } else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value).reverse()) open.push(inner);
    }
  }
  return false;
}
