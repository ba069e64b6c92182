import type { Usage } from "@tollgate/domain/pricing/usage.ts";

export type TokenKind = "total" | "input" | "output";

/** The tokens of a call that its limits count. */
export function countTokens(kind: TokenKind, usage: Usage): number {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  if (kind === "input") return input;
  return kind === "output" ? usage.outputTokens : input + usage.outputTokens;
}

/** The tokens that a call takes at admission: its prompt, unless only answers count. */
export function countPrompt(kind: TokenKind, promptTokens: number): number {
  return kind === "output" ? 0 : promptTokens;
}
