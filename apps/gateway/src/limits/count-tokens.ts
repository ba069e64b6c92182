import type { Usage } from "@tollgate/domain/pricing/usage.ts";

type TokenKind = "total" | "input" | "output";

/** Returns how many of a call's tokens count toward its limits. */
export function countTokens(kind: TokenKind, usage: Usage): number {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  if (kind === "input") return input;
  return kind === "output" ? usage.outputTokens : input + usage.outputTokens;
}

/** Returns how many tokens a call reserves at admission: its prompt tokens, or 0 if only output counts. */
export function countPrompt(kind: TokenKind, promptTokens: number): number {
  return kind === "output" ? 0 : promptTokens;
}
