/** Returns the finish reason in the chat completions format. */
export function finishReasonOf(reason: unknown, isCalling: boolean): string {
  if (reason === "MAX_TOKENS") return "length";
  if (reason === "ERROR_TOXIC") return "content_filter";
  return isCalling ? "tool_calls" : "stop";
}

/** Reports whether the provider failed midway. Without this check, an empty response would count as a success. */
export function isBroken(reason: unknown): boolean {
  return reason === "ERROR" || reason === "TIMEOUT";
}
