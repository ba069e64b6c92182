import { type ErrorCodeStyle, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ExchangeWorker } from "../edge/exchange.ts";
import type { StreamReader } from "../providers/provider.ts";
import { answerLines, costLines } from "./answer-lines.ts";
import type { ChatCall } from "./call.ts";
import type { StreamListener, UpstreamAnswer, UpstreamStream } from "./call-upstream.ts";
import { type LiveCalls, Watched } from "./live-calls.ts";
import { costOf, estimateUsage } from "./record-usage.ts";

const KEEP_ALIVE_MS = 15_000;
const STALLED_CLIENT_MS = 30_000;
const KEEP_ALIVE = ": keep-alive\n\n";
const STREAM_LINES =
  "content-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\n";

/** How a relayed answer ended. */
export interface RelayOutcome {
  readonly status: "success" | "failure" | "client_disconnect";
  readonly failure: Failure | null;
  readonly usage: Usage;
}

export interface RelaySettings {
  readonly codeStyle: ErrorCodeStyle;
  readonly exposesUpstream: boolean;
  readonly now: () => number;
  readonly live: LiveCalls;
}

/** Sends a complete answer: one header block, one write, the upstream's bytes with the model renamed. */
export function relayAnswer(call: ChatCall, answer: UpstreamAnswer, settings: RelaySettings): RelayOutcome {
  const read = answer.deployment.provider.readAnswer(call, answer.body as string);
  const usage = read.usage ?? estimateUsage(call, read.text.length);
  if (call.exchange.isGone) return { status: "client_disconnect", failure: null, usage };
  const lines =
    answerLines(call, answer, settings.exposesUpstream) + costLines(call, answer, costOf(answer.deployment, usage));
  call.exchange.response.sendWhole(`content-type: application/json\r\n${lines}`, read.text);
  return { status: "success", failure: null, usage };
}

/** Relays a stream to its end, whatever that end is. Throws a Failure while nothing has been sent yet. */
export function relayStream(call: ChatCall, answer: UpstreamAnswer, settings: RelaySettings): Promise<RelayOutcome> {
  return new Promise((resolve, reject) => {
    const relay = new StreamRelay(call, answer, settings, resolve, reject);
    relay.start();
  });
}

class StreamRelay extends Watched implements StreamListener, ExchangeWorker {
  readonly #call: ChatCall;
  readonly #answer: UpstreamAnswer;
  readonly #stream: UpstreamStream;
  readonly #reader: StreamReader;
  readonly #settings: RelaySettings;
  #resolve: ((outcome: RelayOutcome) => void) | null;
  #reject: ((failure: unknown) => void) | null;
  #lastWriteMs = 0;
  #stalledSinceMs = 0;

  constructor(
    call: ChatCall,
    answer: UpstreamAnswer,
    settings: RelaySettings,
    resolve: (outcome: RelayOutcome) => void,
    reject: (failure: unknown) => void,
  ) {
    super();
    this.#call = call;
    this.#answer = answer;
    this.#stream = answer.stream as UpstreamStream;
    this.#reader = answer.deployment.provider.readStream(call);
    this.#settings = settings;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    this.#call.exchange.worker = this;
    if (this.#call.exchange.isGone) return this.clientGone();
    this.#settings.live.add(this);
    this.#stream.listen(this);
  }

  onText(text: string): void {
    if (this.#resolve === null) return;
    this.#handOn(this.#reader.push(text));
  }

  onEnd(): void {
    if (this.#resolve === null) return;
    this.#handOn(this.#reader.end());
  }

  onFailure(failure: Failure): void {
    if (this.#resolve !== null) this.#breakOff(failure, "");
  }

  /** Ten times a second: cuts clients that stopped reading, and keeps quiet connections open. */
  override check(nowMs: number): void {
    if (this.#stalledSinceMs !== 0) {
      if (nowMs - this.#stalledSinceMs > STALLED_CLIENT_MS) this.#call.exchange.response.destroy();
      return;
    }
    if (this.#lastWriteMs !== 0 && nowMs - this.#lastWriteMs > KEEP_ALIVE_MS) this.#write(KEEP_ALIVE);
  }

  #handOn(text: string): void {
    const { failure, isDone } = this.#reader;
    if (failure !== null) {
      this.#stream.abort();
      return this.#breakOff(failure, text);
    }
    if (isDone) return this.#finish(text);
    if (text !== "") this.#write(text);
  }

  #write(text: string): void {
    const { response } = this.#call.exchange;
    if (!response.headersSent) response.beginStream(this.#lines());
    this.#lastWriteMs = this.#settings.now();
    if (response.writeText(text) || this.#stalledSinceMs !== 0) return;
    // The client reads slower than the model writes: stop reading from the model until it has caught up.
    this.#stalledSinceMs = this.#lastWriteMs;
    this.#stream.pause();
    response.onceDrained(() => {
      this.#stalledSinceMs = 0;
      this.#stream.resume();
    });
  }

  #finish(text: string): void {
    const { response } = this.#call.exchange;
    if (!response.headersSent) response.beginStream(this.#lines());
    response.endText(text);
    this.#conclude("success", null);
  }

  /** Ends a stream that failed. Its missing closing mark tells the client that the answer is incomplete. */
  #breakOff(failure: Failure, text: string): void {
    const { response } = this.#call.exchange;
    if (!response.headersSent && text === "") {
      const reject = this.#reject;
      this.#leave();
      return reject?.(failure);
    }
    if (!response.headersSent) response.beginStream(this.#lines());
    const error = JSON.stringify(toErrorBody(failure, this.#settings.codeStyle));
    response.endText(`${text}data: ${Buffer.from(error, "utf8").toString("latin1")}\n\n`);
    this.#conclude("failure", failure);
  }

  clientGone(): void {
    this.#stream.abort();
    this.#conclude("client_disconnect", null);
  }

  #conclude(status: RelayOutcome["status"], failure: Failure | null): void {
    const resolve = this.#resolve;
    if (resolve === null) return;
    this.#leave();
    const usage = this.#reader.usage ?? estimateUsage(this.#call, this.#reader.deliveredBytes);
    resolve({ status, failure, usage });
  }

  #leave(): void {
    this.#resolve = null;
    this.#reject = null;
    this.#settings.live.remove(this);
  }

  #lines(): string {
    return STREAM_LINES + answerLines(this.#call, this.#answer, this.#settings.exposesUpstream);
  }
}
