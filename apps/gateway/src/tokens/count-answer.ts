import { countText } from "./count-text.ts";

/** Tokens of a complete chat answer whose upstream reported none. `body` is the answer as bytes, one character each. */
export function countAnswer(body: string): number {
  const answer = JSON.parse(Buffer.from(body, "latin1").toString("utf8")) as { readonly choices?: unknown };
  const choices = Array.isArray(answer.choices) ? (answer.choices as { readonly message?: unknown }[]) : [];
  return choices.reduce((sum, { message }) => sum + countLeaves(message), 0);
}

/** Tokens of every text inside a message or a part of one, except what says which kind it is. */
export function countLeaves(value: unknown, name = ""): number {
  if (typeof value === "string") return name === "role" || name === "type" || name === "id" ? 0 : countText(value);
  if (typeof value !== "object" || value === null) return 0;
  let tokens = 0;
  for (const [key, member] of Object.entries(value)) tokens += countLeaves(member, key);
  return tokens;
}
