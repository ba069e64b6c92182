import type { Exchange } from "../edge/exchange.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import type { Caller } from "./caller.ts";
import type { ChatBody } from "./chat-body.ts";

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
  #body: ChatBody | null;

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

  /** Lets go of the prompt once no other target can be tried. */
  dropBody(): void {
    this.#body = null;
  }
}
