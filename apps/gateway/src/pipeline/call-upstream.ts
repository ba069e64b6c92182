import { Failure } from "@tollgate/contracts/failures.ts";
import type { ExchangeWorker } from "../edge/exchange.ts";
import type { UnattendedCalls } from "../edge/unattended-calls.ts";
import type { Deployment } from "../model-list/deployment.ts";
import { otherModelIn } from "../model-list/served-model.ts";
import {
  type AnswerControl,
  type AnswerListener,
  MalformedResponse,
  type ReadAnswer,
  type UpstreamHeaders,
  type UpstreamRequest,
} from "../providers/provider.ts";
import { readUpstreamFailure, withoutSecrets } from "../providers/read-upstream-failure.ts";
import { fitParameters, offeredBy } from "./body/fit-parameters.ts";
import type { Call } from "./call.ts";
import { AbandonedRead, type ReadLimit } from "./upstream/abandoned-read.ts";
import { formOf, hasFrame } from "./upstream/answer-form.ts";
import type { AttemptLimits } from "./upstream/attempt-limits.ts";
import type { CallTrace } from "./upstream/call-tracing.ts";
import { finishesOnDisconnect } from "./upstream/finishes-on-disconnect.ts";
import { HasDeadline, type LiveCalls } from "./upstream/live-calls.ts";
import { malformedResponse } from "./upstream/malformed-response.ts";
import { nameDeployment } from "./upstream/name-deployment.ts";
import { countProduced, withProduced } from "./upstream/produced-usage.ts";

/** Maximum number of bytes read from one response, whether or not its client is connected. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_FAILURE_BYTES = 64 * 1024;
/** UTF-8 byte order mark, one character per byte. */
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
/** Maximum number of bytes of a stream before its first frame is complete. */
const MAX_EARLY_BYTES = 1024 * 1024;

/** An upstream response: complete, or the beginning of a stream. */
export interface UpstreamAnswer {
  readonly deployment: Deployment;
  readonly headers: UpstreamHeaders;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** The complete response in the caller's format; null for a stream. */
  readonly whole: ReadAnswer | null;
  readonly stream: UpstreamStream | null;
  /** The model that the response names, if it differs from the requested one. */
  readonly otherModel: string | null;
}

/** Receives the rest of a stream. Text has one character per byte. */
export interface StreamListener {
  onText(text: string): void;
  onEnd(): void;
  onFailure(failure: Failure): void;
  /**
   * Called when the caller's own deadline has passed. The client gets this failure, and the gateway reads the rest of
   * the response without a client.
   */
  onCallerDeadline(failure: Failure): void;
}

/** A stream in progress. Text that arrives before `listen` is buffered. */
export interface UpstreamStream {
  listen(listener: StreamListener): void;
  pause(): void;
  resume(): void;
  abort(): void;
}

/** Dependencies of every attempt. */
export interface AttemptContext {
  readonly live: LiveCalls;
  readonly unattended: UnattendedCalls;
  readonly now: () => number;
  /** Unix time in milliseconds. Deployment cooldowns use this clock. */
  readonly wallClock: () => number;
}

/**
 * Calls one target and waits for its complete response, or for the first frame of a stream. Throws a Failure if neither
 * arrives.
 */
export function callUpstream(
  call: Call,
  deployment: Deployment,
  limits: AttemptLimits,
  context: AttemptContext,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const attempt = new Attempt(call, deployment, limits, context, resolve, reject);
    attempt.start();
  });
}

/** Streams with unflushed text, collected so that each read results in one write. */
let dirty: Attempt[] = [];

function flushDirty(): void {
  const attempts = dirty;
  dirty = [];
  for (const attempt of attempts) attempt.flush();
}

class Attempt extends HasDeadline implements AnswerListener, UpstreamStream, ExchangeWorker {
  readonly #call: Call;
  readonly #deployment: Deployment;
  readonly #limits: AttemptLimits;
  readonly #context: AttemptContext;
  #resolve: ((answer: UpstreamAnswer) => void) | null;
  #reject: ((failure: unknown) => void) | null;
  #control: AnswerControl | null = null;
  #listener: StreamListener | null = null;
  #status = 0;
  #headers: UpstreamHeaders = {};
  #first: Buffer | null = null;
  #parts: Buffer[] | null = null;
  #length = 0;
  #limit = MAX_ANSWER_BYTES;
  #isStreaming = false;
  #isQueued = false;
  #hasEnded = false;
  #failure: Failure | null = null;
  #early = "";
  #endsInReturn = false;
  #sentAtMs = 0;
  /** Time at which the stream counts as stalled. */
  #deadlineMs = 0;
  /** Deadline of the whole response, streamed or not. */
  #latestMs = 0;

  constructor(
    call: Call,
    deployment: Deployment,
    limits: AttemptLimits,
    context: AttemptContext,
    resolve: (answer: UpstreamAnswer) => void,
    reject: (failure: unknown) => void,
  ) {
    super();
    this.#call = call;
    this.#deployment = deployment;
    this.#limits = limits;
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    // The client disconnected while the call waited for credit or rate limits. The request was not sent, so it isn't
    // billed.
    if (this.#call.exchange.isGone) return this.#fail(new AbandonedRead(null, false));
    this.#sentAtMs = this.#context.now();
    this.#call.sentAtMs = this.#sentAtMs;
    if (this.#call.firstSentAtMs === 0) this.#call.firstSentAtMs = this.#sentAtMs;
    this.#latestMs = this.#sentAtMs + this.#limits.timeoutMs;
    this.#deadlineMs = this.#sentAtMs + this.#limits.streamTimeoutMs;
    this.#call.exchange.worker = this;
    this.#context.live.add(this);
    try {
      const offered = offeredBy(this.#call, this.#deployment);
      const dropped = fitParameters(this.#call, this.#deployment, offered);
      const request = offered.translation.buildRequest(this.#call, this.#deployment, dropped);
      this.#call.attempts += 1;
      const { trace } = this.#call;
      this.#control = this.#send(trace === null ? request : this.#traced(request, trace));
    } catch (error) {
      // An error other than a Failure is a bug in the gateway, so no deployment is to blame.
      this.#fail(error as Failure);
    }
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    this.#control = control;
    this.#status = status;
    this.#headers = headers;
    this.#call.upstreamHeaders = headers;
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      return this.#abandon(unreadable("The model sent an unexpected compressed response."));
    }
    if (status !== 200) {
      this.#limit = MAX_FAILURE_BYTES;
      return;
    }
    if (formOf(headers, this.#call.answerForm) !== this.#call.answerForm)
      this.#abandon(unreadable("The model responded in an unexpected format."));
    this.#isStreaming = this.#call.isStream;
  }

  onData(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#first === null) this.#first = chunk;
    else if (this.#parts === null) this.#parts = [this.#first, chunk];
    else this.#parts.push(chunk);
    if (this.#isStreaming) {
      if (this.#isQueued) return;
      this.#isQueued = true;
      if (dirty.push(this) === 1) process.nextTick(flushDirty);
      return;
    }
    // No text begins with a zero byte, so the response is rejected before it fills a 32 MB buffer.
    if (chunk === this.#first && chunk[0] === 0) return this.#abandon(unreadable("The model's response is not text."));
    if (this.#length <= this.#limit) return;
    // The beginning of a long error text is enough to identify the error.
    if (this.#status !== 200) this.#finishBuffered();
    else this.#refuseLarge();
    this.#control?.abort();
  }

  /**
   * Rejects a response that is too long. The request determines the length, so the caller pays for the response, and
   * the call isn't retried.
   */
  #refuseLarge(): void {
    const { exchange } = this.#call;
    const failure = unreadable("The model's response exceeds the size limit.");
    if (!exchange.isUnattended) exchange.failEarly(nameDeployment(failure, this.#deployment, this.#call));
    this.#stopReading("size");
  }

  onEnd(): void {
    if (this.#isStreaming) {
      this.flush();
      this.#hasEnded = true;
      this.#context.live.remove(this);
      if (this.#listener !== null) this.#listener.onEnd();
      else if (this.#resolve !== null) this.#fail(unreadable("The model's response ended before its first event."));
      return;
    }
    this.#finishBuffered();
  }

  onError(error: Error): void {
    if (this.#isStreaming) this.flush();
    if (error instanceof MalformedResponse) return this.#fail(unreadable("The model's response is not valid HTTP."));
    if (error instanceof Failure) return this.#fail(error);
    this.#fail(this.#status === 0 ? unreachable(error) : cutShort(error), this.#bufferedText());
  }

  /** Passes on all text received since the last flush. */
  flush(): void {
    this.#isQueued = false;
    if (this.#first === null) return;
    const taken = this.#takeText();
    const text = this.#endsInReturn || taken.includes("\r") ? this.#withLineFeeds(taken) : taken;
    const nowMs = this.#context.now();
    this.#call.lastByteAtMs = nowMs;
    if (this.#call.trace !== null) this.#call.trace.addText(text);
    this.#deadlineMs = nowMs + this.#limits.streamTimeoutMs;
    if (this.#listener !== null) return this.#listener.onText(text);
    this.#early += text;
    if (this.#resolve === null) return;
    if (this.#early.startsWith(BYTE_ORDER_MARK)) this.#early = this.#early.slice(BYTE_ORDER_MARK.length);
    if (this.#call.answerForm === "bytes" || hasFrame(this.#early)) this.#settle(null, this.#early);
    else if (this.#early.length > MAX_EARLY_BYTES) this.#refuseLarge();
  }

  listen(listener: StreamListener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = "";
    if (early !== "") listener.onText(early);
    if (this.#failure !== null) listener.onFailure(this.#failure);
    else if (this.#hasEnded) listener.onEnd();
  }

  pause(): void {
    this.#control?.pause();
    this.#deadlineMs = Number.POSITIVE_INFINITY;
  }

  resume(): void {
    this.#deadlineMs = this.#context.now() + this.#limits.streamTimeoutMs;
    this.#control?.resume();
  }

  /**
   * Continues to read the response, only to determine its usage, if the deployment is configured for this and the
   * process has capacity.
   */
  clientGone(): void {
    if (!finishesOnDisconnect(this.#deployment, this.#call)) return this.#stopReading(null);
    if (!this.#context.unattended.add(this.#call.exchange)) this.#stopReading("capacity");
  }

  cut(failure: Failure): void {
    if (this.#call.exchange.isUnattended) this.#stopReading("drain");
    else this.#abandon(failure);
  }

  /** Aborts the upstream request. The listener requested the abort, so the listener is not called again. */
  abort(): void {
    this.#listener = null;
    this.#stopReading(null);
  }

  override check(nowMs: number): void {
    const { exchange, isStream } = this.#call;
    const { timeoutMs, streamTimeoutMs, readOnTimeoutMs, readOnStreamTimeoutMs } = this.#limits;
    if (exchange.isUnattended) {
      const isSilent = isStream && nowMs >= this.#deadlineMs + readOnStreamTimeoutMs - streamTimeoutMs;
      if (isSilent || nowMs >= this.#latestMs + readOnTimeoutMs - timeoutMs) this.#stopReading("timeout");
      return;
    }
    const isSilent = isStream && nowMs >= this.#deadlineMs;
    if (!isSilent && nowMs < this.#latestMs) return;
    const seconds = (isSilent ? streamTimeoutMs : timeoutMs) / 1_000;
    const isCallers = isSilent ? streamTimeoutMs < readOnStreamTimeoutMs : timeoutMs < readOnTimeoutMs;
    const facts = { detail: { timeoutSeconds: seconds } };
    const failure = isSilent
      ? new Failure("stream_timeout", `The model sent nothing for ${seconds} seconds.`, facts)
      : new Failure("timeout", `The model did not finish its response within ${seconds} seconds.`, facts);
    if (isCallers) this.#passDeadline(failure);
    else this.#abandon(failure);
  }

  /**
   * Fails the call for its client at the client's own deadline. The client pays for output produced after that
   * deadline.
   */
  #passDeadline(failure: Failure): void {
    const { exchange } = this.#call;
    if (this.#listener !== null) return this.#listener.onCallerDeadline(failure);
    exchange.failEarly(nameDeployment(failure, this.#deployment, this.#call));
    this.clientGone();
  }

  #stopReading(limit: ReadLimit | null): void {
    this.#abandon(new AbandonedRead(limit, this.#control?.wasSent ?? this.#control !== null));
  }

  #send(request: UpstreamRequest): AnswerControl {
    try {
      return this.#deployment.transport.send(request, this);
    } catch (error) {
      throw error instanceof Failure ? error : unreachable(error);
    }
  }

  #traced(request: UpstreamRequest, trace: CallTrace): UpstreamRequest {
    const traceparent = trace.beginAttempt(this.#deployment, this.#sentAtMs);
    return { ...request, headers: [...request.headers, "traceparent", traceparent] };
  }

  #finishBuffered(): void {
    this.#context.live.remove(this);
    const text = this.#first === null ? "" : this.#takeText();
    if (this.#status === 200) return this.#readWhole(text);
    try {
      this.#fail(readUpstreamFailure(this.#deployment, this.#status, this.#headers, text));
    } catch (error) {
      this.#fail(malformedResponse(error));
    }
  }

  /** Reads a complete response. A malformed response or an error response makes the attempt fail. */
  #readWhole(text: string): void {
    // The time is recorded before parsing, because parsing counts as gateway time.
    this.#call.lastByteAtMs = this.#context.now();
    if (this.#call.trace !== null) this.#call.trace.addText(text);
    let read: ReadAnswer;
    try {
      const { translation } = offeredBy(this.#call, this.#deployment);
      read = translation.readAnswer(this.#call, text, this.#headers);
    } catch (error) {
      return this.#fail(withoutSecrets(this.#deployment, malformedResponse(error)), text);
    }
    this.#settle(read, text);
  }

  #settle(whole: ReadAnswer | null, text: string): void {
    const resolve = this.#resolve;
    this.#resolve = null;
    this.#reject = null;
    this.#deployment.state.answer(this.#context.wallClock());
    resolve?.({
      deployment: this.#deployment,
      headers: this.#headers,
      sentAtMs: this.#sentAtMs,
      answeredAtMs: this.#call.lastByteAtMs,
      whole,
      stream: whole === null ? this : null,
      otherModel: otherModelIn(text, this.#deployment),
    });
  }

  #abandon(failure: Failure): void {
    this.#control?.abort();
    const text = this.#isStreaming ? this.#early : this.#bufferedText();
    this.#first = null;
    this.#parts = null;
    this.#fail(failure, text);
  }

  /** Returns the received part of a response that is not streamed. */
  #bufferedText(): string {
    return this.#first === null || this.#status !== 200 ? "" : this.#takeText();
  }

  #fail(cause: Failure, text = ""): void {
    if (this.#failure !== null) return;
    this.#context.live.remove(this);
    const failure = this.#reject === null ? cause : this.#withProduced(cause, text);
    if (this.#call.trace !== null) this.#call.trace.failAttempt(failure, this.#context.now());
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    if (reject !== null) reject(failure);
    else if (this.#listener !== null) this.#listener.onFailure(failure);
    else this.#failure = failure;
  }

  /** Adds the billed usage to a failure, if the response had begun or the operator's own timeout ended the attempt. */
  #withProduced(failure: Failure, text: string): Failure {
    const isOwnTimeout = failure.code === "timeout" || failure.code === "stream_timeout";
    const isBilled = isOwnTimeout ? this.#control?.wasSent !== false : this.#status === 200;
    if (!isBilled || failure instanceof AbandonedRead || !(failure instanceof Failure)) return failure;
    return withProduced(failure, countProduced(this.#call, this.#deployment, text));
  }

  /** Normalizes the three line endings of event streams to line feeds. */
  #withLineFeeds(text: string): string {
    if (this.#call.answerForm !== "events") return text;
    // A CRLF pair may be split across two chunks.
    const rest = this.#endsInReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endsInReturn = text.endsWith("\r");
    return rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  }

  #takeText(): string {
    const first = this.#first as Buffer;
    const joined = this.#parts === null ? first : Buffer.concat(this.#parts, this.#length);
    this.#first = null;
    this.#parts = null;
    this.#length = 0;
    return joined.toString("latin1");
  }
}

function unreachable(cause: unknown): Failure {
  return new Failure("upstream_unreachable", "The model could not be reached.", { cause });
}

function cutShort(cause: unknown): Failure {
  return new Failure("upstream_unreachable", "The connection to the model was lost before its response was complete.", {
    cause,
    detail: { wasAnswering: true },
  });
}

function unreadable(message: string): Failure {
  return new Failure("bad_gateway", message);
}
