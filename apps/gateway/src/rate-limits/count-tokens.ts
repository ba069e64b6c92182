import type { Usage } from "@tollgate/domain/pricing/usage.ts";

export type TokenKind = "total" | "input" | "output";

/** Returns the tokens of a call that count toward its limits. */
export function countTokens(kind: TokenKind, usage: Usage): number {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  if (kind === "input") return input;
  return kind === "output" ? usage.outputTokens : input + usage.outputTokens;
}

/** Returns the tokens that a call reserves at admission, which are its prompt tokens, unless only output counts. */
export function countPrompt(kind: TokenKind, promptTokens: number): number {
  return kind === "output" ? 0 : promptTokens;
}
