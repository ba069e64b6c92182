import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { findDeltaTexts } from "../../wire/delta-texts.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { MAX_FRAME_BYTES } from "../../wire/sse-frames.ts";
import { ANSWER_TOOL } from "./answer-format.ts";
import { ChunkWriter, DONE } from "./chunk-writer.ts";
import { type DeltaKind, findDelta } from "./find-delta.ts";
import { type CallForm, finishReason, refusalOf } from "./finish-reason.ts";
import { idOf, usesFunctions } from "./read-answer.ts";
import { readStreamFailure } from "./read-failure.ts";
import { billsCode, type Counters, isCodeExecution, readUsage, tierOf, writeUsage } from "./read-usage.ts";
import type { Answer, Block } from "./wire.ts";

/** How the current block is sent to the client. Blocks never overlap. */
type BlockState = "nothing" | "text" | "thought" | "call" | "answer";

/** A stream event, with the fields that are read. */
interface StreamEvent {
  readonly type?: string;
  readonly message?: Answer;
  readonly content_block?: Block;
  readonly delta?: Readonly<Record<string, unknown>>;
  readonly usage?: Counters | null;
}

/** Translates a Messages API stream into chat chunks as it arrives. */
export class MessagesStreamReader implements StreamReader {
  isDone = false;
  failure: Failure | null = null;
  readonly output = new OutputMeter(findDeltaTexts);

  readonly #modelJson: string;
  readonly #wantsUsage: boolean;
  readonly #isLegacy: boolean;
  readonly #billsCode: boolean;
  #carry = "";
  /** Null until the message begins. */
  #writer: ChunkWriter | null = null;
  #block: BlockState = "nothing";
  /** The index of the current block's tool call, and whether any of its arguments have arrived. */
  #callIndex = -1;
  #hasArguments = false;
  #input: unknown = null;
  /** The current thinking block. The client receives it as a whole, after its signature has arrived. */
  #thought = "";
  #signature = "";
  #counters: Counters = {};
  /** Number of sessions in which the provider ran code, which its counters don't contain. */
  #codeSessions = 0;
  #isCounted = false;
  #stopReason: unknown = null;
  #refusal: string | null = null;

  constructor(call: TranslatedCall<ChatRequest>) {
    this.#modelJson = call.model.shownJson;
    this.#wantsUsage = call.wantsUsage;
    this.#isLegacy = usesFunctions(call);
    this.#billsCode = billsCode(call);
  }

  /**
   * Current usage. The provider reports input tokens at the start and output tokens at the end. Until then, output is
   * estimated.
   */
  get usage(): Usage | null {
    const usage = readUsage(this.#counters, this.#codeSessions);
    if (usage === null || this.#isCounted) return usage;
    return { ...usage, outputTokens: Math.max(usage.outputTokens, this.output.checkpoint()), source: "estimated" };
  }

  push(text: string): string {
    const all = this.#carry === "" ? text : this.#carry + text;
    let relayed = "";
    let start = 0;
    for (let end = all.indexOf("\n"); end >= 0; end = all.indexOf("\n", start)) {
      if (all.startsWith("data:", start)) relayed += this.#readData(all.slice(start + "data:".length, end).trim());
      start = end + 1;
      if (this.isDone || this.failure !== null) break;
    }
    this.#carry = start === 0 ? all : all.slice(start);
    if (this.#carry.length > MAX_FRAME_BYTES) this.failure ??= new OversizedEvent();
    if (relayed !== "") this.output.add(relayed);
    return relayed;
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const last = this.push("\n");
    if (this.isDone || this.failure !== null) return last;
    // A response with a stop reason is complete, even without the closing event.
    if (this.#stopReason !== null) return last + this.#finish();
    this.failure = unreadable("The model's response ended before it was complete.");
    return last;
  }

  /** Reads an event. Most events are text deltas, which are relayed without parsing the JSON. */
  #readData(data: string): string {
    const piece = this.#writer === null ? null : findDelta(data);
    if (piece !== null) return this.#append(piece.kind, piece.escaped);
    const event = parse(data);
    if (event?.type === "error") {
      this.failure = readStreamFailure(data);
      return "";
    }
    if (event === null || (this.#writer === null && isOfMessage(event))) {
      this.failure = unreadable("The model sent an invalid response.");
      return "";
    }
    return this.#readEvent(event);
  }

  #readEvent(event: StreamEvent): string {
    switch (event.type) {
      case "message_start":
        return this.#begin(event.message);
      case "content_block_start":
        return this.#open(event.content_block);
      case "content_block_delta":
        return this.#readDelta(event.delta);
      case "content_block_stop":
        return this.#close();
      case "message_delta":
        return this.#note(event);
      case "message_stop":
        return this.#finish();
      default:
        // The provider documents that it may add event types, and that clients must ignore unknown ones.
        return "";
    }
  }

  #begin(message: Answer | undefined): string {
    if (this.#writer !== null) return "";
    this.#counters = { output_tokens: 0, ...(message?.usage as Counters | undefined) };
    const created = Math.floor(Date.now() / 1_000);
    this.#writer = new ChunkWriter(idOf(message?.id), created, this.#modelJson, this.#wantsUsage);
    return this.#writer.role();
  }

  #open(block: Block | undefined): string {
    this.#block = "nothing";
    switch (block?.type) {
      case "text":
        this.#block = "text";
        return typeof block.text === "string" && block.text !== "" ? this.#append("text", toEscaped(block.text)) : "";
      case "thinking":
        this.#block = "thought";
        this.#thought = "";
        this.#signature = "";
        return "";
      case "redacted_thinking":
        return this.#chunks.thought(toJsonBytes({ type: block.type, data: block.data }));
      case "tool_use":
        return this.#openCall(block);
      default:
        if (this.#billsCode && isCodeExecution(block)) this.#codeSessions = 1;
        return "";
    }
  }

  #openCall({ id, name, input }: Block): string {
    this.#hasArguments = false;
    this.#input = input;
    this.#block = name === ANSWER_TOOL ? "answer" : "call";
    if (this.#block === "answer") return "";
    this.#callIndex += 1;
    if (!this.#isLegacy) return this.#chunks.toolCall(this.#callIndex, String(id), String(name));
    // The legacy format supports only one function call.
    return this.#callIndex === 0 ? this.#chunks.functionCall(String(name)) : "";
  }

  #readDelta(delta: StreamEvent["delta"]): string {
    switch (delta?.type) {
      case "text_delta":
        return this.#append("text", toEscaped(delta.text));
      case "input_json_delta":
        return this.#append("input_json", toEscaped(delta.partial_json));
      case "thinking_delta":
        return this.#append("thinking", toEscaped(delta.thinking));
      case "signature_delta":
        this.#signature += String(delta.signature);
        return "";
      default:
        return "";
    }
  }

  #append(kind: DeltaKind, escaped: string): string {
    if (escaped === "") return "";
    if (kind === "text") return this.#block === "text" ? this.#chunks.content(escaped) : "";
    if (kind === "input_json") return this.#appendArguments(escaped);
    if (this.#block !== "thought") return "";
    this.#thought += escaped;
    return this.#chunks.reasoning(escaped);
  }

  #appendArguments(escaped: string): string {
    this.#hasArguments = true;
    if (this.#block === "answer") return this.#chunks.content(escaped);
    if (this.#block !== "call") return "";
    if (!this.#isLegacy) return this.#chunks.toolArguments(this.#callIndex, escaped);
    return this.#callIndex === 0 ? this.#chunks.functionArguments(escaped) : "";
  }

  #close(): string {
    const block = this.#block;
    let relayed = "";
    // A call without arguments needs an empty object to be valid JSON.
    if ((block === "call" || block === "answer") && !this.#hasArguments) {
      relayed = this.#appendArguments(toEscaped(JSON.stringify(this.#input ?? {})));
    } else if (block === "thought") {
      const signature = toJsonBytes(this.#signature);
      relayed = this.#chunks.thought(`{"type":"thinking","thinking":"${this.#thought}","signature":${signature}}`);
      this.#thought = "";
    }
    this.#block = "nothing";
    return relayed;
  }

  /** Reads token counts. They are cumulative, so the last count is the final one. */
  #note({ delta, usage }: StreamEvent): string {
    if (delta?.stop_reason != null) this.#stopReason = delta.stop_reason;
    this.#refusal = refusalOf(delta?.stop_details) ?? this.#refusal;
    if (usage == null) return "";
    const given = Object.entries(usage).filter(([, value]) => value !== null);
    this.#counters = { ...this.#counters, ...Object.fromEntries(given) };
    if (usage.output_tokens != null) this.#isCounted = true;
    return "";
  }

  #finish(): string {
    const chunks = this.#chunks;
    const form: CallForm = this.#callIndex < 0 ? "none" : this.#isLegacy ? "function_call" : "tool_calls";
    const { usage } = this;
    this.isDone = true;
    return (
      (this.#refusal === null ? "" : chunks.refusal(toEscaped(this.#refusal))) +
      chunks.finish(finishReason(this.#stopReason, form), tierOf(this.#counters)) +
      (this.#wantsUsage && usage !== null ? chunks.usage(writeUsage(usage)) : "") +
      DONE
    );
  }

  get #chunks(): ChunkWriter {
    if (this.#writer === null) throw new Error("received a chunk before the message start");
    return this.#writer;
  }
}

/** Reports whether an event is valid only after its message has begun. */
function isOfMessage({ type }: StreamEvent): boolean {
  return type !== "message_start" && /^(?:message|content_block)_/.test(String(type));
}

function parse(data: string): StreamEvent | null {
  try {
    const event: unknown = JSON.parse(Buffer.from(data, "latin1").toString("utf8"));
    return typeof event === "object" ? event : null;
  } catch {
    return null;
  }
}

/** Returns text as the contents of a JSON string, one character per byte. */
function toEscaped(text: unknown): string {
  return typeof text === "string" ? toJsonBytes(text).slice(1, -1) : "";
}

function unreadable(message: string): Failure {
  return new Failure("bad_gateway", message);
}
