/** What a chat's answer and the frames of its stream have in common. */
export interface ChatHead {
  readonly id?: string;
  readonly created?: number;
  readonly model?: string;
  readonly system_fingerprint?: string | null;
}

/** The same of a text completion. */
export function completionHead({ id, created, model, system_fingerprint: fingerprint }: ChatHead) {
  return {
    id: completionIdOf(id),
    object: "text_completion",
    created: created ?? 0,
    model,
    ...(fingerprint != null && { system_fingerprint: fingerprint }),
  };
}

/** The id of a completion that a chat answered. */
function completionIdOf(chatId: string | undefined): string {
  return (chatId ?? "").replace(/^(?:chatcmpl-)?/, "cmpl-");
}

/** Why a completion ended. A text that calls a tool has simply come to its end. */
export function finishReasonOf(reason: string | null | undefined): string | null {
  if (reason == null) return null;
  return reason === "length" || reason === "content_filter" ? reason : "stop";
}
