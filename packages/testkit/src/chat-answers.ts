export interface ChatAnswerOptions {
  readonly id?: string;
  readonly model?: string;
  readonly content?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly finishReason?: string;
}

interface ChatFramesOptions extends ChatAnswerOptions {
  /** The text split into frames; by default, one word per frame. */
  readonly pieces?: readonly string[];
  /** True to send a usage frame before the end, as with `stream_options.include_usage`. */
  readonly includeUsage?: boolean;
}

const CREATED = 1_767_225_600;

/** Builds a complete chat completion in OpenAI's format. */
export function chatAnswer(options: ChatAnswerOptions = {}) {
  const { id = "chatcmpl-fake", model = "fake-model", content = "Hello there.", finishReason = "stop" } = options;
  return {
    id,
    object: "chat.completion",
    created: CREATED,
    model,
    choices: [
      { index: 0, message: { role: "assistant", content, refusal: null }, logprobs: null, finish_reason: finishReason },
    ],
    usage: usageOf(options),
    system_fingerprint: "fp_fake",
  };
}

/** Builds a chat completion as a stream: role, text, finish reason, token counts, `[DONE]`. */
export function chatFrames(options: ChatFramesOptions = {}): string[] {
  const { id = "chatcmpl-fake", model = "fake-model", content = "Hello there.", finishReason = "stop" } = options;
  const pieces = options.pieces ?? content.split(/(?<= )/);
  const includeUsage = options.includeUsage ?? true;
  const head = { id, object: "chat.completion.chunk", created: CREATED, model, system_fingerprint: "fp_fake" };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    ...(includeUsage ? { usage: null } : {}),
  });
  return [
    sseFrame(chunk({ role: "assistant", content: "", refusal: null })),
    ...pieces.map((piece) => sseFrame(chunk({ content: piece }))),
    sseFrame(chunk({}, finishReason)),
    ...(includeUsage ? [sseFrame({ ...head, choices: [], usage: usageOf(options) })] : []),
    DONE_FRAME,
  ];
}

export const DONE_FRAME = "data: [DONE]\n\n";

/** Encodes a value as a server-sent event with JSON data. */
export function sseFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Builds an error in OpenAI's format. */
export function errorAnswer(
  message: string,
  fields: { type?: string; code?: string | null; param?: string | null } = {},
) {
  return {
    error: { message, type: fields.type ?? "server_error", param: fields.param ?? null, code: fields.code ?? null },
  };
}

function usageOf({ inputTokens = 12, outputTokens = 3 }: ChatAnswerOptions) {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}
