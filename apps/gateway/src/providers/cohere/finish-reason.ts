/** Why an answer ended, as a chat says it. */
export function finishReasonOf(reason: unknown, isCalling: boolean): string {
  if (reason === "MAX_TOKENS") return "length";
  if (reason === "ERROR_TOXIC") return "content_filter";
  return isCalling ? "tool_calls" : "stop";
}

/** Whether the provider gave up in the middle. An answer that then says nothing would pass for an empty success. */
export function isBroken(reason: unknown): boolean {
  return reason === "ERROR" || reason === "TIMEOUT";
}
