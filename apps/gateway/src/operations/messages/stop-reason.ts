const reasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

/** Why a message ended. Some upstreams say that an answer simply ended when it calls tools. */
export function stopReason(finish: string | null | undefined, isCalling: boolean): string {
  if (isCalling && (finish == null || finish === "stop")) return "tool_use";
  return reasons[finish ?? "stop"] ?? "end_turn";
}
