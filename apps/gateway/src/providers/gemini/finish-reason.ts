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

/** Why an answer ended, as a chat says it. */
export function finishReasonOf(reason: string, callsAs: "tool_calls" | "function_call" | null): string {
  // The second is a long answer that could be taken up again; a chat has no word for that.
  if (reason === "MAX_TOKENS" || reason === "CONTINUATION") return "length";
  if (filtered.has(reason)) return "content_filter";
  return callsAs ?? "stop";
}

/** Whether the model failed in the middle. An answer that then says nothing would pass for an empty success. */
export function isBroken(reason: string): boolean {
  return broken.has(reason);
}
