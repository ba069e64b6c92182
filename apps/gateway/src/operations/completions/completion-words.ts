/** The id of a completion that a chat answered. */
export function completionIdOf(chatId: string | undefined): string {
  return (chatId ?? "").replace(/^(?:chatcmpl-)?/, "cmpl-");
}

/** Why a completion ended. A text that calls a tool has simply come to its end. */
export function finishReasonOf(reason: string | null | undefined): string | null {
  if (reason == null) return null;
  return reason === "length" || reason === "content_filter" ? reason : "stop";
}
