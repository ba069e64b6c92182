const reasons: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/** The format of the calls in a response: tool calls, legacy function calls, or no calls. */
export type CallForm = "tool_calls" | "function_call" | "none";

/** Returns the finish reason in the chat completions format. */
export function finishReason(stopReason: unknown, form: CallForm): string {
  if (stopReason === "tool_use") return form === "none" ? "stop" : form;
  return reasons[String(stopReason)] ?? "stop";
}

/** Returns the provider's explanation of a refusal, or null if the provider gave no explanation. */
export function refusalOf(stopDetails: unknown): string | null {
  const explanation = (stopDetails as { readonly explanation?: unknown } | null | undefined)?.explanation;
  return typeof explanation === "string" ? explanation : null;
}
