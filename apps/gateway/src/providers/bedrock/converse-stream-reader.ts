import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { mayCacheLong } from "../../call/call-body.ts";
import type { OutputCounter } from "../../call/output-counter.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { OversizedEvent, unreadable } from "../../wire/invalid-response.ts";
import { MAX_FRAME_BYTES } from "../../wire/sse-frames.ts";
import { MessagesStreamReader } from "../anthropic/stream-reader.ts";
import type { ConverseAnswer } from "./converse-wire.ts";
import { toCounters, toStopReason } from "./read-converse-answer.ts";
import { readStreamException } from "./read-failure.ts";

/**
 * Reads a Converse stream. Converts each event to its Messages API equivalent, which the Messages reader then reads.
 */
export class ConverseStreamReader implements StreamReader {
  readonly #reader: MessagesStreamReader;
  readonly #asksLong: boolean;
  #failure: Failure | null = null;
  #carry = "";
  /**
   * The type of the current block. It is tracked because the stream doesn't announce the start of text and thinking
   * blocks.
   */
  #block: "none" | "text" | "thinking" | "tool_use" = "none";

  constructor(call: TranslatedCall<ChatRequest>) {
    this.#reader = new MessagesStreamReader(call);
    this.#asksLong = mayCacheLong(call.body);
  }

  get isDone(): boolean {
    return this.#reader.isDone;
  }

  get failure(): Failure | null {
    return this.#failure ?? this.#reader.failure;
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get output(): OutputCounter {
    return this.#reader.output;
  }

  push(text: string): string {
    const all = this.#carry === "" ? text : this.#carry + text;
    let translated = "";
    let start = 0;
    for (let end = all.indexOf("\n"); end >= 0; end = all.indexOf("\n", start)) {
      if (all.startsWith("data:", start)) translated += this.#translate(all.slice(start + "data:".length, end));
      start = end + 1;
      if (this.#failure !== null) break;
    }
    this.#carry = start === 0 ? all : all.slice(start);
    if (this.#carry.length > MAX_FRAME_BYTES) this.#failure ??= new OversizedEvent();
    return translated === "" ? "" : this.#reader.push(translated);
  }

  end(): string {
    return this.failure === null ? this.#reader.end() : "";
  }

  #translate(data: string): string {
    const event = parse(data);
    if (event === null) {
      this.#failure = unreadable();
      return "";
    }
    if (typeof event.exception === "string") {
      this.#failure = readStreamException(event.exception, event.body);
      return "";
    }
    if (event.messageStart != null) return written({ type: "message_start", message: {} });
    if (event.contentBlockStart != null) return this.#open(event.contentBlockStart.start?.toolUse);
    if (event.contentBlockDelta != null) return this.#continue(event.contentBlockDelta.delta ?? {});
    if (event.contentBlockStop != null) return this.#close();
    if (event.messageStop != null) {
      const stop = { stop_reason: toStopReason(event.messageStop.stopReason ?? "end_turn") };
      return this.#close() + written({ type: "message_delta", delta: stop });
    }
    if (event.metadata == null) return "";
    const { usage, serviceTier } = event.metadata;
    return (
      (usage == null
        ? ""
        : written({ type: "message_delta", usage: toCounters(usage, this.#asksLong, serviceTier?.type) })) +
      written({ type: "message_stop" })
    );
  }

  #open(tool: ToolStart | undefined): string {
    const closed = this.#close();
    if (tool === undefined) return closed;
    this.#block = "tool_use";
    const block = { type: "tool_use", id: tool.toolUseId, name: tool.name, input: {} };
    return closed + written({ type: "content_block_start", content_block: block });
  }

  #continue({ text, toolUse, reasoningContent }: Delta): string {
    if (typeof text === "string") return this.#within("text") + delta("text_delta", "text", text);
    if (typeof toolUse?.input === "string") return delta("input_json_delta", "partial_json", toolUse.input);
    const { text: thought, signature, redactedContent } = reasoningContent ?? {};
    if (typeof thought === "string") return this.#within("thinking") + delta("thinking_delta", "thinking", thought);
    if (typeof signature === "string")
      return this.#within("thinking") + delta("signature_delta", "signature", signature);
    if (typeof redactedContent !== "string") return "";
    const block = { type: "redacted_thinking", data: redactedContent };
    return this.#close() + written({ type: "content_block_start", content_block: block });
  }

  /** Starts a block of this type, unless such a block is already open. */
  #within(kind: "text" | "thinking"): string {
    if (this.#block === kind) return "";
    const closed = this.#close();
    this.#block = kind;
    return closed + written({ type: "content_block_start", content_block: { type: kind } });
  }

  #close(): string {
    if (this.#block === "none") return "";
    this.#block = "none";
    return written({ type: "content_block_stop" });
  }
}

interface ToolStart {
  readonly toolUseId?: unknown;
  readonly name?: unknown;
}

interface Delta {
  readonly text?: unknown;
  readonly toolUse?: { readonly input?: unknown };
  readonly reasoningContent?: {
    readonly text?: unknown;
    readonly signature?: unknown;
    readonly redactedContent?: unknown;
  };
}

/** A stream event, with only the fields that the gateway reads. */
interface ConverseEvent {
  readonly messageStart?: object | null;
  readonly contentBlockStart?: { readonly start?: { readonly toolUse?: ToolStart } } | null;
  readonly contentBlockDelta?: { readonly delta?: Delta } | null;
  readonly contentBlockStop?: object | null;
  readonly messageStop?: { readonly stopReason?: unknown } | null;
  readonly metadata?: Pick<ConverseAnswer, "usage" | "serviceTier"> | null;
  readonly exception?: unknown;
  readonly body?: unknown;
}

function parse(data: string): ConverseEvent | null {
  try {
    const event: unknown = JSON.parse(Buffer.from(data, "latin1").toString("utf8"));
    return typeof event === "object" ? event : null;
  } catch {
    return null;
  }
}

/** Writes the delta in the exact formatting that the Messages reader relays without parsing. */
function delta(type: string, member: string, text: string): string {
  return `data: {"type":"content_block_delta","index":0,"delta":{"type":"${type}","${member}":${toJsonBytes(text)}}}\n`;
}

function written(event: object): string {
  return `data: ${toJsonBytes(event)}\n`;
}
