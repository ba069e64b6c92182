/**
 * Converts a chat finish reason to the reason why a response is incomplete. Returns null if the response is complete.
 */
export function incompleteReason(finishReason: string | null | undefined): string | null {
  if (finishReason === "length") return "max_output_tokens";
  return finishReason === "content_filter" ? "content_filter" : null;
}
