import { outputOf, type Script, textOf } from "./script.ts";

/** A response as frames in one wire format, in sending order. */
export interface WireFrames {
  readonly head: readonly string[];
  /** Returns one frame of visible text. */
  text(tokens: number): string;
  /** Frames that end the visible text. */
  readonly tail: readonly string[];
  readonly usage: readonly string[];
  readonly end: readonly string[];
  /** Returns this text as a non-streaming response. */
  whole(text: string): string;
}

export type WireName = "chat" | "messages" | "responses";

const IMPOSSIBLE = 2_000_000_000;

/** Returns a response in this wire format. */
export function framesOf(wire: WireName, script: Script, model: string): WireFrames {
  if (wire === "chat") return chatFrames(script, model);
  return wire === "messages" ? messageFrames(script, model) : responseFrames(script, model);
}

interface Counts {
  readonly input: unknown;
  readonly output: unknown;
  readonly reasoning: unknown;
}

function countsOf(script: Script): Counts | null {
  const { usage, inputTokens, hidden } = script;
  if (usage === "none") return null;
  if (usage === "impossible") return { input: IMPOSSIBLE, output: IMPOSSIBLE, reasoning: 0 };
  if (usage === "wrong types") return { input: "many", output: [-1], reasoning: {} };
  return { input: inputTokens, output: outputOf(script), reasoning: hidden };
}

function chatFrames(script: Script, model: string): WireFrames {
  const counts = countsOf(script);
  const usage = counts && {
    prompt_tokens: counts.input,
    completion_tokens: counts.output,
    total_tokens: typeof counts.output === "number" ? Number(counts.input) + counts.output : "many",
    completion_tokens_details: { reasoning_tokens: counts.reasoning },
  };
  const base = { id: "chatcmpl-adversary", object: "chat.completion.chunk", created: 1, model };
  const frame = (delta: object, finish_reason: string | null, padding = 0) =>
    data({
      ...base,
      choices: [{ index: 0, delta, finish_reason }],
      ...(padding > 0 && { obfuscation: "x".repeat(padding) }),
    });
  const usageFrame = usage === null ? [] : [data({ ...base, choices: [], usage })];
  return {
    head: [frame({ role: "assistant", content: "" }, null), ...(script.usage === "early" ? usageFrame : [])],
    text: (tokens) => frame({ content: textOf(tokens) }, null, script.padding),
    tail: [frame({}, "stop")],
    usage: repeatUsage(script, usageFrame),
    end: ["data: [DONE]\n\n"],
    whole: (content) =>
      JSON.stringify({
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        ...(usage !== null && { usage }),
      }),
  };
}

function messageFrames(script: Script, model: string): WireFrames {
  const counts = countsOf(script);
  const message = { id: "msg_adversary", type: "message", role: "assistant", model, stop_sequence: null };
  const usage = { input_tokens: counts?.input ?? 0, output_tokens: counts?.output ?? 0 };
  const started = { input_tokens: counts?.input ?? 0, output_tokens: 1 };
  const delta = event({
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    ...(counts !== null && { usage }),
  });
  return {
    head: [
      event({ type: "message_start", message: { ...message, content: [], stop_reason: null, usage: started } }),
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      ...(script.usage === "early" ? [event({ type: "message_delta", delta: { stop_reason: null }, usage })] : []),
    ],
    text: (tokens) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: textOf(tokens) } }),
    tail: [event({ type: "content_block_stop", index: 0 })],
    usage: script.usage === "twice" ? [delta, delta] : [delta],
    end: [event({ type: "message_stop" })],
    whole: (text) =>
      JSON.stringify({
        ...message,
        content: [{ type: "text", text }],
        stop_reason: "end_turn",
        ...(counts !== null && { usage }),
      }),
  };
}

function responseFrames(script: Script, model: string): WireFrames {
  const counts = countsOf(script);
  const usage = counts && {
    input_tokens: counts.input,
    output_tokens: counts.output,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: typeof counts.output === "number" ? Number(counts.input) + counts.output : "many",
  };
  const text = textOf(script.frames * script.wordsPerFrame);
  const place = { item_id: "msg_adversary", output_index: 0, content_index: 0 };
  const itemOf = (content: readonly object[], status: string) => ({
    ...{ id: place.item_id, type: "message", role: "assistant" },
    ...{ status, content },
  });
  const part = (said: string) => ({ type: "output_text", text: said, annotations: [] });
  const response = (status: string, output: readonly object[], said: unknown = null) => ({
    ...{ id: "resp_adversary", object: "response", created_at: 1, model, error: null, incomplete_details: null },
    ...{ status, output, usage: said, parallel_tool_calls: true, tool_choice: "auto", tools: [], metadata: {} },
  });
  const done = itemOf([part(text)], "completed");
  const completed = event({ type: "response.completed", response: response("completed", [done], usage) });
  return {
    head: [
      event({ type: "response.created", response: response("in_progress", []) }),
      event({ type: "response.output_item.added", output_index: 0, item: itemOf([], "in_progress") }),
      event({ type: "response.content_part.added", ...place, part: part("") }),
    ],
    text: (tokens) => event({ type: "response.output_text.delta", ...place, delta: textOf(tokens) }),
    tail: [
      event({ type: "response.output_text.done", ...place, text }),
      event({ type: "response.content_part.done", ...place, part: part(text) }),
      event({ type: "response.output_item.done", output_index: 0, item: done }),
    ],
    usage: [completed],
    end: [],
    whole: (said) => JSON.stringify(response("completed", [itemOf([part(said)], "completed")], usage)),
  };
}

function repeatUsage({ usage }: Script, frames: readonly string[]): readonly string[] {
  if (usage === "early") return [];
  return usage === "twice" ? [...frames, ...frames] : frames;
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${value.type}\n${data(value)}`;
