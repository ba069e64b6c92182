const reasons: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/** How an answer took its call: as a tool, as a function of the old form, or not at all. */
export type CallForm = "tool_calls" | "function_call" | "none";

/** Why an answer ended, as clients know it. */
export function finishReason(stopReason: unknown, form: CallForm): string {
  if (stopReason === "tool_use") return form === "none" ? "stop" : form;
  return reasons[String(stopReason)] ?? "stop";
}

/** What the provider says of its refusal, if it refused and says something. */
export function refusalOf(stopDetails: unknown): string | null {
  const explanation = (stopDetails as { readonly explanation?: unknown } | null | undefined)?.explanation;
  return typeof explanation === "string" ? explanation : null;
}
