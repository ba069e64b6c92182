import type { ChatChunk, ChatRequest, ChatResponse, GatewayClient } from "@tollgate/sdk/gateway";
import type { Answer, ToolCall } from "./chat-state.ts";

/** Interval between updates of a streaming response. */
const SHOW_MS = 40;

const begun: Answer = {
  text: "",
  reasoning: "",
  toolCalls: [],
  state: "running",
  facts: null,
  finishReason: null,
  error: null,
};

/** Sends a request and reports the response as it streams. The last report is always the final state. Never throws. */
export async function runTurn(
  gateway: GatewayClient,
  body: ChatRequest,
  signal: AbortSignal,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  let answer = begun;
  try {
    onAnswer(answer);
    if (body.stream !== true) {
      const { data, facts } = await gateway.chat(body, { signal });
      return onAnswer({ ...readWhole(data), facts });
    }
    const stream = await gateway.chatStream(body, { signal });
    answer = { ...answer, facts: stream.facts };
    let shownAt = 0;
    for await (const chunk of stream) {
      answer = addChunk(answer, chunk);
      const now = performance.now();
      if (now - shownAt < SHOW_MS) continue;
      shownAt = now;
      onAnswer(answer);
    }
    onAnswer({ ...answer, state: "done" });
  } catch (error) {
    onAnswer(signal.aborted ? { ...answer, state: "stopped" } : { ...answer, state: "failed", error });
  }
}

/** Returns the response with one more chunk of the stream. */
export function addChunk(answer: Answer, chunk: ChatChunk): Answer {
  const [choice] = chunk.choices;
  if (choice === undefined) return answer;
  const delta = choice.delta as {
    content?: string | null;
    reasoning_content?: string | null;
    tool_calls?: readonly ToolCallDelta[];
  };
  return {
    ...answer,
    text: answer.text + (delta.content ?? ""),
    reasoning: answer.reasoning + (delta.reasoning_content ?? ""),
    toolCalls: (delta.tool_calls ?? []).reduce(addToolCall, answer.toolCalls),
    finishReason: choice.finish_reason ?? answer.finishReason,
  };
}

interface ToolCallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

function addToolCall(calls: readonly ToolCall[], delta: ToolCallDelta): readonly ToolCall[] {
  const at = delta.index ?? calls.length;
  const before = calls[at] ?? { id: "", name: "", arguments: "" };
  const next = {
    id: delta.id ?? before.id,
    name: before.name + (delta.function?.name ?? ""),
    arguments: before.arguments + (delta.function?.arguments ?? ""),
  };
  return [...calls.slice(0, at), next, ...calls.slice(at + 1)];
}

function readWhole({ choices }: ChatResponse): Answer {
  const [choice] = choices;
  const message = (choice?.message ?? {}) as {
    content?: string | null;
    reasoning_content?: string | null;
    tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  };
  return {
    ...begun,
    text: message.content ?? "",
    reasoning: message.reasoning_content ?? "",
    toolCalls: (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
    finishReason: choice?.finish_reason ?? null,
    state: "done",
  };
}
