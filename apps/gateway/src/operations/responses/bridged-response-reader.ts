import type { ErrorContext } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { dataOfFrame } from "../../wire/sse-frames.ts";
import { ChatStreamBridge } from "../chat-stream-bridge.ts";
import { incompleteReason } from "./incomplete-reason.ts";
import type { ChatAnswerMessage, ChatToolCall } from "./output-items.ts";
import { ResponseEvents } from "./response-events.ts";
import { ToolNames } from "./tool-names.ts";
import { echoOf, responseErrorOf } from "./write-response.ts";

interface ChatChunk {
  readonly choices?: readonly {
    readonly index?: number;
    readonly delta?: ChatDelta | null;
    readonly finish_reason?: string | null;
  }[];
}

type ChatDelta = Omit<ChatAnswerMessage, "tool_calls"> & { readonly tool_calls?: readonly CallDelta[] | null };
type CallDelta = ChatToolCall & { readonly index?: number };

/** Reads a chat stream and writes the events of a response. Writes no event before the model produces output. */
export class BridgedResponseReader extends ChatStreamBridge {
  readonly #events: ResponseEvents;
  #finishReason: string | null = null;
  /** Index and ID of the current tool call. The ID is needed because some upstreams always send index 0. */
  #callIndex = -1;
  #callId = "";

  constructor(chat: StreamReader, call: TranslatedCall<ResponseRequest>) {
    super(chat);
    const echo = echoOf(call);
    this.#events = new ResponseEvents(echo, new ToolNames(echo.tools));
  }

  cutFrames(usage: Usage): string {
    this.#events.finish(usage, "max_output_tokens");
    return this.#events.take();
  }

  failureFrames(failure: Failure, context: ErrorContext): string {
    this.#events.fail(responseErrorOf(failure, context));
    return this.#events.take();
  }

  protected override bridge(frames: string): string {
    for (const frame of frames.split("\n\n")) this.#read(frame);
    if (this.chat.isDone && this.chat.failure === null) {
      this.#events.finish(this.chat.usage, incompleteReason(this.#finishReason));
    }
    return this.#events.take();
  }

  #read(frame: string): void {
    const data = dataOfFrame(frame);
    if (data === null || !data.startsWith("{")) return;
    const { choices } = JSON.parse(Buffer.from(data, "latin1").toString("utf8")) as ChatChunk;
    for (const { index = 0, delta, finish_reason: reason } of choices ?? []) {
      // The request asks for one choice. Other choices from the upstream are ignored.
      if (index !== 0) continue;
      this.#finishReason = reason ?? this.#finishReason;
      if (delta != null) this.#readDelta(delta);
    }
  }

  #readDelta(delta: ChatDelta): void {
    const { content, refusal, reasoning_content: thoughts, thinking_blocks: blocks, annotations } = delta;
    if (thoughts) this.#events.think(thoughts);
    if (blocks != null && blocks.length > 0) this.#events.sign(blocks);
    if (content) this.#events.say(content);
    if (refusal) this.#events.refuse(refusal);
    if (annotations != null && annotations.length > 0) this.#events.cite(annotations);
    if (delta.extra_content != null) this.#events.carry(delta.extra_content);
    for (const call of delta.tool_calls ?? []) this.#readCall(call);
  }

  #readCall({ index = 0, id, function: called, extra_content: extra }: CallDelta): void {
    if (index !== this.#callIndex || (id && id !== this.#callId)) {
      this.#callIndex = index;
      this.#callId = id ?? `call_${index}`;
      this.#events.call(this.#callId, called?.name ?? "", extra);
    }
    this.#events.give(called?.arguments ?? "");
  }
}
