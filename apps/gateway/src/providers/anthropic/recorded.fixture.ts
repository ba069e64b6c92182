/** Original provider responses, shortened for tests. */

export const wholeText = {
  id: "msg_01XFDUDYJgAACzvnptvVoYEL",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [{ type: "text", text: "Grüße, 世界 😀" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 12,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 6,
    service_tier: "standard",
  },
};

export const wholeTools = {
  ...wholeText,
  content: [
    { type: "text", text: "I look it up." },
    { type: "tool_use", id: "toolu_01A", name: "weather", input: { city: "Köln", days: 2 } },
    { type: "tool_use", id: "toolu_01B", name: "time", input: {} },
  ],
  stop_reason: "tool_use",
};

export const wholeThinking = {
  ...wholeText,
  content: [
    { type: "thinking", thinking: "Two and two.", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk" },
    { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
    { type: "text", text: "4" },
  ],
  usage: { ...wholeText.usage, output_tokens: 20, output_tokens_details: { thinking_tokens: 14 } },
};

export const wholeCached = {
  ...wholeText,
  usage: { ...wholeText.usage, input_tokens: 3, cache_creation_input_tokens: 200, cache_read_input_tokens: 5_000 },
};

export const wholeRefusal = {
  ...wholeText,
  content: [],
  stop_reason: "refusal",
  stop_details: { type: "refusal", category: "cyber", explanation: "This cannot be answered." },
};

/** Returns one event in wire format. */
export function event(data: { readonly type: string } & Record<string, unknown>, padding = ""): string {
  const json = JSON.stringify(data);
  return `event: ${data.type}\ndata: ${json.slice(0, -1)}${padding}}\n\n`;
}

const start = (usage: object = {}) =>
  event({
    type: "message_start",
    message: {
      ...wholeText,
      content: [],
      stop_reason: null,
      usage: { ...wholeText.usage, output_tokens: 1, ...usage },
    },
  });
const ping = event({ type: "ping" });
const stop = event({ type: "message_stop" });
const open = (index: number, block: object) =>
  event({ type: "content_block_start", index, content_block: block as never });
const delta = (index: number, piece: object) =>
  event({ type: "content_block_delta", index, delta: piece as never }, " ".repeat(index * 3));
const close = (index: number) => event({ type: "content_block_stop", index });
const end = (reason: string, usage: object, details: object = {}) =>
  event({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null, ...details }, usage });

export const textEvents = [
  start(),
  open(0, { type: "text", text: "" }),
  ping,
  delta(0, { type: "text_delta", text: "Grüße, " }),
  delta(0, { type: "text_delta", text: '世界 😀 "quoted" \\ \n' }),
  close(0),
  end("end_turn", { output_tokens: 9 }),
  stop,
];

export const toolEvents = [
  start({ cache_read_input_tokens: 400 }),
  open(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "I look it up." }),
  close(0),
  open(1, { type: "tool_use", id: "toolu_01A", name: "weather", input: {} }),
  delta(1, { type: "input_json_delta", partial_json: "" }),
  delta(1, { type: "input_json_delta", partial_json: '{"city": "Kö' }),
  delta(1, { type: "input_json_delta", partial_json: 'ln", "days": 2}' }),
  close(1),
  open(2, { type: "tool_use", id: "toolu_01B", name: "time", input: {} }),
  close(2),
  end("tool_use", { output_tokens: 31 }),
  stop,
];

export const thinkingEvents = [
  start(),
  open(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "Two and " }),
  delta(0, { type: "thinking_delta", thinking: "two." }),
  delta(0, { type: "signature_delta", signature: "EqQBCgIYAhIM1gbcDa9G" }),
  close(0),
  open(1, { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }),
  close(1),
  open(2, { type: "text", text: "" }),
  delta(2, { type: "text_delta", text: "4" }),
  close(2),
  end("end_turn", { input_tokens: 12, output_tokens: 20, output_tokens_details: { thinking_tokens: 14 } }),
  stop,
];

export const refusalEvents = [
  start(),
  open(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "First" }),
  close(0),
  end("refusal", { output_tokens: 3 }, { stop_details: wholeRefusal.stop_details }),
  stop,
];

export const overloadedEvents = [
  start(),
  open(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "Hel" }),
  event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
];

/** Returns an error body in the provider's format. */
export function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011CSHoEeqs5C35K2UUqR7Fy" });
}
