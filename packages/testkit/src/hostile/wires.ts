import { chatAnswer, chatFrames, sseFrame } from "../chat-answers.ts";

/** Token counts as raw JSON text, which can be invalid JSON. */
export interface RawUsage {
  readonly input: string;
  readonly output: string;
  /** Raw JSON in the API format, inserted after the counts. */
  readonly more?: string;
}

/** Text and token counts of a response; null omits the counts. */
interface UpstreamContent {
  readonly pieces: readonly string[];
  readonly usage: RawUsage | null;
}

/** An API format in which upstreams answer chat requests. */
export interface Wire {
  readonly name: "openai" | "anthropic" | "gemini";
  /** The deployment's model name in a settings file. */
  readonly model: string;
  /** Encodes a complete response as JSON. */
  whole(content: UpstreamContent): string;
  /** Encodes a response as frames. */
  frames(content: UpstreamContent): string[];
  /** Encodes a frame that contains only text. */
  piece(text: string): string;
}

/** Text of every valid response from these upstreams. */
export const PIECES = ["sound ", "— é ", "😀"] as const;
export const SOUND = PIECES.join("");
export const USUAL: UpstreamContent = { pieces: PIECES, usage: { input: "9", output: "5" } };

const USAGE = '"@usage@"';
const withUsage = (value: object, counts: string) => JSON.stringify(value).replace(USAGE, () => counts);

const openai: Wire = {
  name: "openai",
  model: "openai/upstream-1",
  whole: ({ pieces, usage }) => {
    const answer = chatAnswer({ content: pieces.join("") });
    return withUsage({ ...answer, usage: usage === null ? undefined : "@usage@" }, openaiUsage(usage));
  },
  frames: ({ pieces, usage }) => {
    const [role = "", ...frames] = chatFrames({ pieces, includeUsage: false });
    const done = frames.pop() as string;
    const counted = withUsage({ ...openaiChunk, choices: [], usage: "@usage@" }, openaiUsage(usage));
    return [role, ...frames, ...(usage === null ? [] : [`data: ${counted}\n\n`]), done];
  },
  piece: (content) => sseFrame({ ...openaiChunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
};

const openaiChunk = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 1, model: "fake-model" };

function openaiUsage(usage: RawUsage | null): string {
  if (usage === null) return "null";
  return `{"prompt_tokens":${usage.input},"completion_tokens":${usage.output}${usage.more ?? ""}}`;
}

const anthropic: Wire = {
  name: "anthropic",
  model: "anthropic/claude-upstream",
  whole: ({ pieces, usage }) =>
    withUsage(
      {
        ...message,
        content: [{ type: "text", text: pieces.join("") }],
        stop_reason: "end_turn",
        usage: usage === null ? undefined : "@usage@",
      },
      anthropicUsage(usage),
    ),
  frames: ({ pieces, usage }) => [
    anthropicEvent({ type: "message_start", message: { ...message, usage: "@usage@" } }, startUsage(usage)),
    anthropicEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...pieces.map((text) => anthropic.piece(text)),
    anthropicEvent({ type: "content_block_stop", index: 0 }),
    anthropicEvent(
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: "@usage@" },
      anthropicUsage(usage),
    ),
    anthropicEvent({ type: "message_stop" }),
  ],
  piece: (text) => anthropicEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
};

const message = {
  id: "msg_fake",
  type: "message",
  role: "assistant",
  model: "claude-upstream",
  content: [] as object[],
  stop_reason: null as string | null,
};

/** Encodes an event in the Anthropic Messages format. */
export function anthropicEvent(data: { readonly type: string } & Record<string, unknown>, usage = "null"): string {
  return `event: ${data.type}\ndata: ${withUsage(data, usage)}\n\n`;
}

function anthropicUsage(usage: RawUsage | null): string {
  if (usage === null) return "null";
  return `{"input_tokens":${usage.input},"output_tokens":${usage.output}${usage.more ?? ""}}`;
}

const startUsage = (usage: RawUsage | null) =>
  usage === null ? "null" : anthropicUsage({ ...usage, output: "1", more: "" });

const gemini: Wire = {
  name: "gemini",
  model: "gemini/gemini-upstream",
  whole: ({ pieces, usage }) => geminiAnswer([{ text: pieces.join("") }], { finishReason: "STOP" }, usage),
  frames: ({ pieces, usage }) =>
    pieces.map((text, index) => {
      const isLast = index === pieces.length - 1;
      const answer = geminiAnswer([{ text }], isLast ? { finishReason: "STOP" } : {}, isLast ? usage : null);
      return `data: ${answer}\r\n\r\n`;
    }),
  piece: (text) => `data: ${geminiAnswer([{ text }], {}, null)}\r\n\r\n`,
};

/** Encodes a complete or partial response in the Gemini format. */
export function geminiAnswer(parts: unknown, more: object, usage: RawUsage | null): string {
  const candidates = [{ content: { role: "model", parts }, index: 0, ...more }];
  const counted = usage === null ? {} : { usageMetadata: "@usage@" };
  return withUsage({ candidates, ...counted, responseId: "fake" }, geminiUsage(usage));
}

function geminiUsage(usage: RawUsage | null): string {
  if (usage === null) return "null";
  return `{"promptTokenCount":${usage.input},"candidatesTokenCount":${usage.output}${usage.more ?? ""}}`;
}

export const wires: readonly Wire[] = [openai, anthropic, gemini];
