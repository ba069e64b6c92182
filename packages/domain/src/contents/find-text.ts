import { readConversation, type StoredContent } from "./read-conversation.ts";
import { readCutJson } from "./read-cut-json.ts";

/** Prepares a text to search for. Letter case and the form in which accents are encoded do not matter. */
export const searchable = (text: string): string => text.normalize("NFC").toLowerCase();

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
  const visit = (value: unknown): boolean => {
    if (typeof value === "string") return test(value);
    if (typeof value === "number") return test(String(value));
    return typeof value === "object" && value !== null && Object.values(value).some(visit);
  };
  return visit(body);
}
