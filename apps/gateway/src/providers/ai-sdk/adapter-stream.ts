import { randomUUID } from "node:crypto";
import { MalformedResponse } from "../../call/provider.ts";
import type { StreamPart, ToolCall } from "./model-v4.ts";
import { annotationOf, finishOf, isBroken, toolCallOf, usageOf } from "./write-answer.ts";

/** Writes a model's stream as chat completion frames. */
export class AdapterStream {
  isDone = false;

  readonly #model: string;
  readonly #created = Math.floor(Date.now() / 1_000);
  /** Tool calls by ID, in the order in which they began. */
  readonly #calls = new Map<string, number>();
  #id = `chatcmpl-${randomUUID()}`;
  #hasSpoken = false;

  constructor(model: string) {
    this.#model = model;
  }

  /** Returns the frames for a part, or an empty string if the chat format can't express the part. */
  write(part: StreamPart): string {
    switch (part.type) {
      case "response-metadata":
        this.#id = part.id ?? this.#id;
        return "";
      case "text-delta":
        return part.delta === "" ? "" : this.#delta({ content: part.delta });
      case "reasoning-delta":
        return part.delta === "" ? "" : this.#delta({ reasoning_content: part.delta });
      case "tool-input-start":
        // Skip tools that the provider runs itself. Also skip input that isn't JSON, because the complete input arrives
        // at the end.
        if (part.providerExecuted === true || part.inputEncoding === "text") return "";
        return this.#openCall({ type: "tool-call", toolCallId: part.id, toolName: part.toolName, input: "" });
      case "tool-input-delta":
        return this.#appendInput(part.id, part.delta);
      case "tool-call":
        return this.#wholeCall(part);
      case "source":
        return annotationOf(part).length === 0 ? "" : this.#delta({ annotations: annotationOf(part) });
      case "finish":
        if (isBroken(part.finishReason, part.usage)) throw new MalformedResponse("the model stopped with an error");
        return this.#finish(finishOf(part.finishReason, this.#calls.size > 0), usageOf(part.usage));
      default:
        return "";
    }
  }

  /**
   * Returns the frame for a failure in the middle of a response. `body` is the body that the failure would have as a
   * separate response.
   */
  failure(body: string): string {
    return `data: ${body.replaceAll("\n", " ")}\n\n`;
  }

  #openCall(call: ToolCall): string {
    const index = this.#calls.size;
    this.#calls.set(call.toolCallId, index);
    return this.#delta({ tool_calls: [{ index, ...toolCallOf(call) }] });
  }

  #appendInput(id: string, delta: string): string {
    const index = this.#calls.get(id);
    if (index === undefined || delta === "") return "";
    return this.#delta({ tool_calls: [{ index, function: { arguments: delta } }] });
  }

  /** Returns the frames for a complete tool call. Skips a call that was already streamed. */
  #wholeCall(call: ToolCall): string {
    if (call.providerExecuted === true || this.#calls.has(call.toolCallId)) return "";
    return this.#openCall(call);
  }

  #finish(reason: string, usage: object | null): string {
    this.isDone = true;
    const opening = this.#hasSpoken ? "" : this.#delta({ content: "" });
    const finish = this.#frame([{ index: 0, delta: {}, finish_reason: reason, logprobs: null }]);
    return `${opening}${finish}${usage === null ? "" : this.#frame([], usage)}data: [DONE]\n\n`;
  }

  #delta(delta: object): string {
    const role = this.#hasSpoken ? {} : { role: "assistant" };
    this.#hasSpoken = true;
    return this.#frame([{ index: 0, delta: { ...role, ...delta }, finish_reason: null, logprobs: null }]);
  }

  #frame(choices: readonly object[], usage: object | null = null): string {
    const head = { id: this.#id, object: "chat.completion.chunk", created: this.#created, model: this.#model };
    return `data: ${JSON.stringify({ ...head, choices, ...(usage !== null && { usage }) })}\n\n`;
  }
}
