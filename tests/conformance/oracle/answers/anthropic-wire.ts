import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import type { SpokenAnswer } from "./spoken-answer.ts";

const reasons = { stop: "end_turn", length: "max_tokens", tools: "tool_use", filter: "refusal" } as const;

/** Responds with an Anthropic message, streamed if requested. */
export function answerAsAnthropic(answer: SpokenAnswer): Behavior {
  return (exchange) => {
    const { stream } = exchange.request.json() as { stream?: boolean };
    if (stream === true) return streamFrames(frames(answer), { delayMs: answer.paceMs ?? 0 })(exchange);
    return reply(200, {
      ...head,
      content: blocks(answer),
      stop_reason: reasons[answer.finish ?? "stop"],
      stop_sequence: null,
      usage: usageOf(answer),
    })(exchange);
  };
}

const head = { id: "msg_scripted", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };

function blocks({ pieces, toolCalls = [], reasoning }: SpokenAnswer): readonly object[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature: "signed" }]),
    ...(pieces.length === 0 ? [] : [{ type: "text", text: pieces.join("") }]),
    ...toolCalls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

function frames(answer: SpokenAnswer): readonly string[] {
  const { pieces, toolCalls = [], reasoning } = answer;
  const contents = [
    ...(reasoning === undefined
      ? []
      : [
          {
            block: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              { type: "thinking_delta", thinking: reasoning },
              { type: "signature_delta", signature: "signed" },
            ],
          },
        ]),
    ...(pieces.length === 0
      ? []
      : [{ block: { type: "text", text: "" }, deltas: pieces.map((text) => ({ type: "text_delta", text })) }]),
    ...toolCalls.map(({ id, name, input }) => ({
      block: { type: "tool_use", id, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
    })),
  ];
  const usage = usageOf(answer);
  const message = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  return [
    event({ type: "message_start", message }),
    event({ type: "ping" }),
    ...contents.flatMap(({ block, deltas }, index) => [
      event({ type: "content_block_start", index, content_block: block }),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    ]),
    event({
      type: "message_delta",
      delta: { stop_reason: reasons[answer.finish ?? "stop"], stop_sequence: null },
      usage: { output_tokens: answer.outputTokens ?? 12 },
    }),
    event({ type: "message_stop" }),
  ];
}

/** This format reports input tokens without cached tokens, unlike the other formats. */
function usageOf({ inputTokens = 9, cachedTokens = 0, outputTokens = 12 }: SpokenAnswer): object {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
    service_tier: "standard",
  };
}

function event(data: Readonly<Record<"type", string>> & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
