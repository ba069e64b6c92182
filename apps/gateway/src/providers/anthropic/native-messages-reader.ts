import { Failure } from "@tollgate/contracts/failures.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { findMessageTexts } from "../../operations/messages/message-texts.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { dataOfFrame, endOfLastFrame, MAX_FRAME_BYTES } from "../../wire/sse-frames.ts";
import { readStreamFailure } from "./read-failure.ts";
import { billsCode, type Counters, isCodeExecution, readUsage } from "./read-usage.ts";

/** Matches the start of most events, which are text deltas. They are relayed without parsing. */
const PIECE = /^(?:event: ?content_block_delta\n|data: ?\{"type": ?"content_block_delta")/;

interface StreamEvent {
  readonly type?: string;
  readonly index?: number;
  readonly content_block?: { readonly type?: unknown; readonly name?: unknown } | null;
  readonly message?: { readonly model?: unknown; readonly usage?: Counters | null };
  readonly delta?: { readonly stop_reason?: unknown };
  readonly usage?: Counters | null;
}

/** Relays a Messages API stream unchanged, except for the model's name, and reads its usage. */
export class NativeMessagesReader implements StreamReader {
  isDone = false;
  failure: Failure | null = null;
  readonly output = new OutputMeter(findMessageTexts);

  readonly #modelJson: string;
  readonly #billsCode: boolean;
  #carry = "";
  #counters: Counters = {};
  #codeSessions = 0;
  #isCounted = false;
  #hasStopped = false;
  /** The open block, which must be closed if the gateway ends the stream early. */
  #openBlock: number | null = null;

  constructor(call: TranslatedCall) {
    this.#modelJson = call.model.shownJson;
    this.#billsCode = billsCode(call);
  }

  /**
   * Current usage. The provider reports input tokens at the start and output tokens at the end. Until the end, output
   * is estimated.
   */
  get usage(): Usage | null {
    const usage = readUsage(this.#counters, this.#codeSessions);
    if (usage === null || this.#isCounted) return usage;
    return { ...usage, outputTokens: Math.max(usage.outputTokens, this.output.checkpoint()), source: "estimated" };
  }

  push(text: string): string {
    const waiting = this.#carry === "" ? text : this.#carry + text;
    const all = waiting.includes("\r\n") ? waiting.replaceAll("\r\n", "\n") : waiting;
    const end = endOfLastFrame(all);
    this.#carry = end === all.length ? "" : all.slice(end);
    if (this.#carry.length > MAX_FRAME_BYTES) {
      this.failure ??= new OversizedEvent();
    }
    let relayed = "";
    let start = 0;
    for (let frameEnd = all.indexOf("\n\n"); frameEnd >= 0 && frameEnd < end; frameEnd = all.indexOf("\n\n", start)) {
      relayed += this.#readFrame(all.slice(start, frameEnd + 2));
      start = frameEnd + 2;
      if (this.isDone || this.failure !== null) break;
    }
    if (relayed !== "") this.output.add(relayed);
    return relayed;
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const last = this.#carry === "" ? "" : this.push("\n\n");
    if (this.isDone || this.failure !== null) return last;
    // A message with a stop reason is complete, even without the closing event.
    if (this.#hasStopped) {
      this.isDone = true;
      return `${last}event: message_stop\ndata: {"type":"message_stop"}\n\n`;
    }
    this.failure = new Failure("bad_gateway", "The model's response ended before it was complete.");
    return last;
  }

  cutFrames({ outputTokens }: Usage): string {
    const open = this.#openBlock;
    const delta = { stop_reason: "max_tokens", stop_sequence: null };
    return (
      (open === null ? "" : frameOf("content_block_stop", { index: open })) +
      frameOf("message_delta", { delta, usage: { output_tokens: outputTokens } }) +
      frameOf("message_stop", {})
    );
  }

  #readFrame(frame: string): string {
    const data = PIECE.test(frame) ? null : dataOfFrame(frame);
    if (data === null) return frame;
    const event = parse(data);
    if (event === null) {
      this.failure = new Failure("bad_gateway", "The model sent an invalid response.");
      return "";
    }
    switch (event.type) {
      case "error":
        this.failure = readStreamFailure(data);
        return "";
      case "message_start":
        this.#counters = { output_tokens: 0, ...event.message?.usage };
        return this.#renamed(frame, data);
      case "message_delta":
        this.#note(event);
        return frame;
      case "message_stop":
        this.isDone = true;
        return frame;
      case "content_block_start":
        this.#openBlock = event.index ?? null;
        if (this.#billsCode && isCodeExecution(event.content_block)) this.#codeSessions = 1;
        return frame;
      case "content_block_stop":
        this.#openBlock = null;
        return frame;
      default:
        // The provider documents that it may add event types, and that clients must ignore unknown ones.
        return frame;
    }
  }

  /** Reads token counts. They are cumulative, so the last count is the final one. */
  #note({ delta, usage }: StreamEvent): void {
    if (delta?.stop_reason != null) this.#hasStopped = true;
    if (usage == null) return;
    const given = Object.entries(usage).filter(([, value]) => value !== null);
    this.#counters = { ...this.#counters, ...Object.fromEntries(given) };
    if (usage.output_tokens != null) this.#isCounted = true;
  }

  #renamed(frame: string, data: string): string {
    const start = data.indexOf("{", data.indexOf('"message"'));
    const message = data.slice(start);
    const model = start < 0 ? null : findTopLevelString(message, "model");
    if (model === null) return frame;
    const renamed = data.slice(0, start) + message.slice(0, model.start) + this.#modelJson + message.slice(model.end);
    return frame.replace(data, () => renamed);
  }
}

function frameOf(type: string, members: object): string {
  return `event: ${type}\ndata: ${toJsonBytes({ type, ...members })}\n\n`;
}

/** Parses an event. Only names and numbers are read, so the text needs no UTF-8 decoding. */
function parse(data: string): StreamEvent | null {
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === "object" ? event : null;
  } catch {
    return null;
  }
}
