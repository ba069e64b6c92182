/**
 * Finish reasons in all supported API formats. Only listed reasons are recorded, so that response content can't be
 * recorded as a reason.
 */
const REASONS: ReadonlySet<string> = new Set([
  ...["stop", "length", "tool_calls", "function_call", "content_filter"],
  ...["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "guardrail_intervened"],
  ...["STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER"],
  ...["COMPLETE", "STOP_SEQUENCE", "TOOL_CALL", "ERROR"],
]);
const REASON = /"(?:finish_reason|finishReason|stop_reason|stopReason)":\s?"([A-Za-z_]{1,32})"/g;
const MODEL = /"model(?:Version)?":\s?"([\w.:/@-]{1,100})"/;
const MAX_REASONS = 8;

/** Extracts only the model and the finish reason from a response. */
export class AnswerEnd {
  readonly #upstreamModel: string;
  readonly reasons: string[] = [];
  model: string | null = null;

  constructor(upstreamModel: string) {
    this.#upstreamModel = upstreamModel;
  }

  addText(text: string): void {
    for (const [, reason = ""] of text.matchAll(REASON)) {
      if (REASONS.has(reason) && this.reasons.length < MAX_REASONS) this.reasons.push(reason);
    }
    if (this.model !== null) return;
    const model = MODEL.exec(text)?.[1];
    // The value must start with the upstream model's name, because tool arguments may also contain a `model` field with
    // arbitrary content.
    if (model?.startsWith(this.#upstreamModel)) this.model = model;
  }
}
