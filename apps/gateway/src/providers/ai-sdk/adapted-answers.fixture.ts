/**
 * The request path of a package's provider, and its recorded responses: a complete response, a stream, and a stream
 * with a tool call.
 */
interface AdaptedProvider {
  readonly path: string;
  readonly whole: object;
  readonly stream: readonly string[];
  readonly calling: readonly string[];
}

/** The text in each recorded response. */
export const SAID = "Größe.";
export const INPUT = '{"city":"Köln"}';

const usage = {
  prompt_tokens: 20,
  completion_tokens: 7,
  total_tokens: 27,
  prompt_tokens_details: { cached_tokens: 4 },
};
const head = { id: "chat-1", created: 1_700_000_000, model: "upstream" };

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })}\n\n`;

/** Providers that use the chat completions format. */
const chatWire: AdaptedProvider = {
  path: "/chat/completions",
  whole: {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: SAID }, finish_reason: "stop" }],
    usage,
  },
  stream: [
    chunk({ role: "assistant", content: "Grö" }),
    chunk({ content: "ße." }),
    chunk({}, "stop", { usage }),
    "data: [DONE]\n\n",
  ],
  calling: [
    chunk({
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id: "call12345", type: "function", function: { name: "weather", arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: INPUT } }] }),
    chunk({}, "tool_calls", { usage }),
    "data: [DONE]\n\n",
  ],
};

/** Groq reports a stream's usage in a nonstandard field. */
const groq: AdaptedProvider = {
  ...chatWire,
  stream: chatWire.stream.map(beside),
  calling: chatWire.calling.map(beside),
};

function beside(frame: string): string {
  return frame.replace('"usage":', '"x_groq":{"usage":').replace(/\}\}\}\n\n$/, "}}}}\n\n");
}

/** Mistral streams each tool call in a single chunk. */
const mistral: AdaptedProvider = {
  ...chatWire,
  calling: [
    chunk(
      {
        role: "assistant",
        content: "",
        tool_calls: [{ index: 0, id: "call12345", function: { name: "weather", arguments: INPUT } }],
      },
      "tool_calls",
      { usage },
    ),
    "data: [DONE]\n\n",
  ],
};

const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const cohereUsage = {
  billed_units: { input_tokens: 20, output_tokens: 7 },
  tokens: { input_tokens: 20, output_tokens: 7 },
};

const cohere: AdaptedProvider = {
  path: "/chat",
  whole: {
    id: "chat-1",
    finish_reason: "COMPLETE",
    message: { role: "assistant", content: [{ type: "text", text: SAID }] },
    usage: cohereUsage,
  },
  stream: [
    event("message-start", { id: "chat-1", delta: { message: { role: "assistant" } } }),
    event("content-start", { index: 0, delta: { message: { content: { type: "text", text: "" } } } }),
    event("content-delta", { index: 0, delta: { message: { content: { text: "Grö" } } } }),
    event("content-delta", { index: 0, delta: { message: { content: { text: "ße." } } } }),
    event("content-end", { index: 0 }),
    event("message-end", { delta: { finish_reason: "COMPLETE", usage: cohereUsage } }),
  ],
  calling: [
    event("message-start", { id: "chat-1", delta: { message: { role: "assistant" } } }),
    event("tool-call-start", {
      index: 0,
      delta: {
        message: { tool_calls: { id: "call12345", type: "function", function: { name: "weather", arguments: "" } } },
      },
    }),
    event("tool-call-delta", { index: 0, delta: { message: { tool_calls: { function: { arguments: INPUT } } } } }),
    event("tool-call-end", { index: 0 }),
    event("message-end", { delta: { finish_reason: "TOOL_CALL", usage: cohereUsage } }),
  ],
};

const responsesUsage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 27,
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: SAID, annotations: [] }],
};
const call = {
  id: "fc_1",
  type: "function_call",
  call_id: "call12345",
  name: "weather",
  arguments: INPUT,
  status: "completed",
};
const response = (output: readonly object[]) => ({
  id: "chat-1",
  object: "response",
  created_at: 1_700_000_000,
  model: "upstream",
  status: "completed",
  output,
  usage: responsesUsage,
});
const started = event("response.created", { response: { ...response([]), status: "in_progress", usage: null } });

/** xAI's package uses the Responses API instead of chat completions. */
const xai: AdaptedProvider = {
  path: "/responses",
  whole: response([message]),
  stream: [
    started,
    event("response.output_item.added", { output_index: 0, item: { ...message, content: [], status: "in_progress" } }),
    event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "Grö" }),
    event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "ße." }),
    event("response.output_item.done", { output_index: 0, item: message }),
    event("response.completed", { response: response([message]) }),
  ],
  calling: [
    started,
    event("response.output_item.added", { output_index: 0, item: { ...call, arguments: "", status: "in_progress" } }),
    event("response.function_call_arguments.delta", { item_id: "fc_1", output_index: 0, delta: INPUT }),
    event("response.function_call_arguments.done", { item_id: "fc_1", output_index: 0, arguments: INPUT }),
    event("response.output_item.done", { output_index: 0, item: call }),
    event("response.completed", { response: response([call]) }),
  ],
};

/** The packages that the adapter is tested with. */
export const adapted: Readonly<Record<string, AdaptedProvider>> = {
  "@ai-sdk/xai": xai,
  "@ai-sdk/deepseek": chatWire,
  "@ai-sdk/groq": groq,
  "@ai-sdk/cerebras": chatWire,
  "@ai-sdk/togetherai": chatWire,
  "@ai-sdk/fireworks": chatWire,
  "@ai-sdk/perplexity": chatWire,
  "@ai-sdk/mistral": mistral,
  "@ai-sdk/cohere": cohere,
};
