import type { Exchange } from "../edge/exchange.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import type { Caller } from "./caller.ts";
import type { ChatBody } from "./chat-body.ts";

/** A longer prompt is not kept for as long as its stream lives. */
const LONGEST_KEPT_PROMPT = 1024 * 1024;

/** One chat call: who asks, which model, under which limits. */
export class ChatCall {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly model: ChosenModel;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
  readonly bodyBytes: number;
  readonly hops: number;
  /** How much the model may answer, when the request leaves that to us. Decided when the call is admitted. */
  outputLimit: number | null = null;
  /** About how many tokens the prompt has, once someone counted. */
  roughInput: number | null = null;
  #body: ChatBody | null;
  /** The request as it came, kept by streams: one that is cut off may have to be counted. */
  #prompt: string | null = null;

  constructor(
    exchange: Exchange,
    caller: Caller,
    model: ChosenModel,
    body: ChatBody,
    limits: { timeoutMs: number; streamTimeoutMs: number },
  ) {
    this.exchange = exchange;
    this.caller = caller;
    this.model = model;
    this.#body = body;
    this.bodyBytes = body.text.length;
    this.isStream = body.request.stream === true;
    this.wantsUsage = this.isStream && body.request.stream_options?.include_usage === true;
    this.timeoutMs = limits.timeoutMs;
    this.streamTimeoutMs = limits.streamTimeoutMs;
    this.hops = Number(exchange.headers.hops ?? 0);
  }

  get body(): ChatBody {
    if (this.#body === null) throw new Error("the body of this call was dropped when its answer began");
    return this.#body;
  }

  /** The request as bytes, one character each; null when it was too long to be kept. */
  get prompt(): string | null {
    return this.#body === null ? this.#prompt : this.#body.text;
  }

  /** Lets go of the parsed request once no other target can be tried. */
  dropBody(): void {
    if (this.#body !== null && this.bodyBytes <= LONGEST_KEPT_PROMPT) this.#prompt = this.#body.text;
    this.#body = null;
  }
}
