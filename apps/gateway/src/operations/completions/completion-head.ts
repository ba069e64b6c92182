/** The members that a chat response and its stream frames have in common. */
export interface ChatHead {
  readonly id?: string;
  readonly created?: number;
  readonly model?: string;
  readonly system_fingerprint?: string | null;
}

/** Converts the common members from chat to text completion format. */
export function completionHead({ id, created, model, system_fingerprint: fingerprint }: ChatHead) {
  return {
    id: completionIdOf(id),
    object: "text_completion",
    created: created ?? 0,
    model,
    ...(fingerprint != null && { system_fingerprint: fingerprint }),
  };
}

/** Converts a chat ID to a completion ID. */
function completionIdOf(chatId: string | undefined): string {
  return (chatId ?? "").replace(/^(?:chatcmpl-)?/, "cmpl-");
}

/** Returns a completion's finish reason. Tool calls count as a normal stop. */
export function finishReasonOf(reason: string | null | undefined): string | null {
  if (reason == null) return null;
  return reason === "length" || reason === "content_filter" ? reason : "stop";
}
