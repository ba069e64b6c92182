const filtered: ReadonlySet<string> = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MODEL_ARMOR",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);
const broken: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "OTHER",
]);

/** Returns the finish reason in the chat completions format. */
export function finishReasonOf(reason: string, callsAs: "tool_calls" | "function_call" | null): string {
  // `CONTINUATION` means that a long response could be continued. Chat completions have no equivalent.
  if (reason === "MAX_TOKENS" || reason === "CONTINUATION") return "length";
  if (filtered.has(reason)) return "content_filter";
  return callsAs ?? "stop";
}

/** Reports whether the model failed midway. Without this check, an empty response would count as a success. */
export function isBroken(reason: string): boolean {
  return broken.has(reason);
}
