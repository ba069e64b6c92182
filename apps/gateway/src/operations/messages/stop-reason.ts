const reasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

/** Returns a message's stop reason. Some upstreams report a normal stop even if the response contains tool calls. */
export function stopReason(finish: string | null | undefined, isCalling: boolean): string {
  if (isCalling && (finish == null || finish === "stop")) return "tool_use";
  return reasons[finish ?? "stop"] ?? "end_turn";
}
