/** Why a response is not complete, by why a chat ended; null when it is. */
export function incompleteReason(finishReason: string | null | undefined): string | null {
  if (finishReason === "length") return "max_output_tokens";
  return finishReason === "content_filter" ? "content_filter" : null;
}
