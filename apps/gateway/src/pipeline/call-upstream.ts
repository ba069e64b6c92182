import { Failure } from "@tollgate/contracts/failures.ts";
import { otherModelIn, type ReadLimit } from "../accounting/record-usage.ts";
import {
  AbandonedRead,
  countProduced,
  cutShort,
  malformedResponse,
  nameDeployment,
  unreachable,
  unreadable,
  withProduced,
} from "../accounting/upstream-failures.ts";
import { type BodyPieces, PieceCollector } from "../call/body-pieces.ts";
import { type Call, inStage } from "../call/call.ts";
import type { CallTrace } from "../call/call-tracing.ts";
import type { Deployment } from "../call/deployment.ts";
import type { ExchangeWorker } from "../call/exchange.ts";
import type { AnswerForm } from "../call/operation-traits.ts";
import type { PiecedAnswer } from "../call/pieced-answer.ts";
import {
  type AnswerControl,
  type AnswerListener,
  MalformedResponse,
  type ReadAnswer,
  type UpstreamHeaders,
  type UpstreamRequest,
} from "../call/provider.ts";
import type { UpstreamAnswer, UpstreamStream } from "../call/upstream-answer.ts";
import {
  type AttemptLimits,
  finishesOnDisconnect,
  HasDeadline,
  type LiveCalls,
  type UnattendedCalls,
} from "../limits/live-calls.ts";
import { fitParameters, offeredBy } from "../providers/fit-parameters.ts";
import { readUpstreamFailure, withoutSecrets } from "../providers/read-upstream-failure.ts";

/** Maximum number of bytes read from one response, whether or not its client is connected. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_FAILURE_BYTES = 64 * 1024;
/** Responses of at least this size are kept in pieces. Smaller ones are copied faster than written separately. */
const MIN_PIECED_BYTES = 16 * 1024;

/** Dependencies of every attempt. */
export interface AttemptContext {
  readonly live: LiveCalls;
  readonly unattended: UnattendedCalls;
  readonly now: () => number;
  /** Unix time in milliseconds. Deployment cooldowns use this clock. */
  readonly wallClock: () => number;
}

/** Calls one target and waits for its complete response. Throws a Failure if no such response arrives. */
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

/** One request to a deployment, and its response as it arrives. */
export class Attempt extends HasDeadline implements AnswerListener, ExchangeWorker {
  protected readonly call: Call;
  protected readonly limits: AttemptLimits;
  protected readonly context: AttemptContext;
  protected control: AnswerControl | null = null;
  /** True once the response has begun with status 200. */
  protected isAnswering = false;
  /** Time at which a stream counts as stalled. */
  protected deadlineMs = 0;
  /** The reason why the attempt failed after its response had been returned. */
  protected failure: Failure | null = null;
  readonly #deployment: Deployment;
  #resolve: ((answer: UpstreamAnswer) => void) | null;
  #reject: ((failure: unknown) => void) | null;
  #status = 0;
  #headers: UpstreamHeaders = {};
  /** What has arrived and waits to be read, one character per byte; null before the first byte. */
  #text: string | null = null;
  /** Everything that has arrived of a large response; null for all others. */
  #pieces: PieceCollector | null = null;
  #length = 0;
  #limit = MAX_ANSWER_BYTES;
  #sentAtMs = 0;
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
    this.call = call;
    this.#deployment = deployment;
    this.limits = limits;
    this.context = context;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    // The client disconnected while the call waited for credit or rate limits. The request was not sent, so it isn't
    // billed.
    if (this.call.exchange.isGone) return this.fail(new AbandonedRead(null, false));
    this.#sentAtMs = this.context.now();
    inStage(this.call, "sent").sentAtMs = this.#sentAtMs;
    if (this.call.firstSentAtMs === 0) inStage(this.call, "sent").firstSentAtMs = this.#sentAtMs;
    this.#latestMs = this.#sentAtMs + this.limits.timeoutMs;
    this.deadlineMs = this.#sentAtMs + this.limits.streamTimeoutMs;
    this.call.exchange.worker = this;
    this.context.live.add(this);
    try {
      const offered = offeredBy(this.call, this.#deployment);
      const dropped = fitParameters(this.call, this.#deployment, offered);
      const request = offered.translation.buildRequest(this.call, this.#deployment, dropped);
      inStage(this.call, "sent").attempts += 1;
      const { trace } = this.call;
      this.control = this.#send(trace === null ? request : this.#traced(request, trace));
    } catch (error) {
      // An error other than a Failure is a bug in the gateway, so no deployment is to blame.
      this.fail(error as Failure);
    }
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    this.control = control;
    this.#status = status;
    this.#headers = headers;
    inStage(this.call, "sent").upstreamHeaders = headers;
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      return this.#abandon(unreadable("The model sent an unexpected compressed response."));
    }
    if (status !== 200) {
      this.#limit = MAX_FAILURE_BYTES;
      return;
    }
    if (formOf(headers, this.call.answerForm) !== this.call.answerForm)
      this.#abandon(unreadable("The model responded in an unexpected format."));
    this.isAnswering = true;
  }

  onData(chunk: Buffer): void {
    const isFirst = this.#length === 0;
    if (this.#status === 200 && this.#length + chunk.length >= MIN_PIECED_BYTES) this.#collectPiece(chunk);
    else this.collect(chunk);
    // No text begins with a zero byte, so the response is rejected before it fills a 32 MB buffer.
    if (isFirst && chunk[0] === 0) return this.#abandon(unreadable("The model's response is not text."));
    if (this.#length <= this.#limit) return;
    // The beginning of a long error text is enough to identify the error.
    if (this.#status !== 200) this.#finishBuffered();
    else this.refuseLarge();
    this.control?.abort();
  }

  /** Adds a chunk to those that wait to be read. */
  protected collect(chunk: Buffer): void {
    this.#length += chunk.length;
    const text = chunk.toString("latin1");
    this.#text = this.#text === null ? text : this.#text + text;
  }

  /** Adds a chunk of a large response. */
  #collectPiece(chunk: Buffer): void {
    if (this.#pieces === null) {
      if (offeredBy(this.call, this.#deployment).translation.readPieces === undefined) return this.collect(chunk);
      this.#pieces = new PieceCollector();
      if (this.#text !== null) this.#pieces.add(Buffer.from(this.#text, "latin1"));
      this.#text = null;
    }
    this.#length += chunk.length;
    this.#pieces.add(chunk);
  }

  /**
   * Rejects a response that is too long. The request determines the length, so the caller pays for the response, and
   * the call isn't retried.
   */
  protected refuseLarge(): void {
    const { exchange } = this.call;
    const failure = unreadable("The model's response exceeds the size limit.");
    if (!exchange.isUnattended) exchange.failEarly(nameDeployment(failure, this.#deployment, this.call));
    this.stopReading("size");
  }

  onEnd(): void {
    this.#finishBuffered();
  }

  onError(error: Error): void {
    if (error instanceof MalformedResponse) return this.fail(unreadable("The model's response is not valid HTTP."));
    if (error instanceof Failure) return this.fail(error);
    this.fail(this.#status === 0 ? unreachable(error) : cutShort(error), this.#collectedText());
  }

  /**
   * Continues to read the response, only to determine its usage, if the deployment is configured for this and the
   * process has capacity.
   */
  clientGone(): void {
    if (!finishesOnDisconnect(this.#deployment, this.call)) return this.stopReading(null);
    if (!this.context.unattended.add(this.call.exchange)) this.stopReading("capacity");
  }

  cut(failure: Failure): void {
    if (this.call.exchange.isUnattended) this.stopReading("drain");
    else this.#abandon(failure);
  }

  override check(nowMs: number): void {
    const { exchange, isStream } = this.call;
    const { timeoutMs, streamTimeoutMs, readOnTimeoutMs, readOnStreamTimeoutMs } = this.limits;
    if (exchange.isUnattended) {
      const isSilent = isStream && nowMs >= this.deadlineMs + readOnStreamTimeoutMs - streamTimeoutMs;
      if (isSilent || nowMs >= this.#latestMs + readOnTimeoutMs - timeoutMs) this.stopReading("timeout");
      return;
    }
    const isSilent = isStream && nowMs >= this.deadlineMs;
    if (!isSilent && nowMs < this.#latestMs) return;
    const seconds = (isSilent ? streamTimeoutMs : timeoutMs) / 1_000;
    const isCallers = isSilent ? streamTimeoutMs < readOnStreamTimeoutMs : timeoutMs < readOnTimeoutMs;
    const facts = { detail: { timeoutSeconds: seconds } };
    const failure = isSilent
      ? new Failure("stream_timeout", `The model sent nothing for ${seconds} seconds.`, facts)
      : new Failure("timeout", `The model did not finish its response within ${seconds} seconds.`, facts);
    if (isCallers) this.passDeadline(failure);
    else this.#abandon(failure);
  }

  /**
   * Fails the call for its client at the client's own deadline. The client pays for output produced after that
   * deadline.
   */
  protected passDeadline(failure: Failure): void {
    const { exchange } = this.call;
    exchange.failEarly(nameDeployment(failure, this.#deployment, this.call));
    this.clientGone();
  }

  protected stopReading(limit: ReadLimit | null): void {
    this.#abandon(new AbandonedRead(limit, this.control?.wasSent ?? this.control !== null));
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
    this.context.live.remove(this);
    const pieces = this.#takePieces();
    if (pieces !== null) return this.#readLarge(pieces);
    const text = this.takeText() ?? "";
    if (this.#status === 200) return this.#readWhole(text);
    try {
      this.fail(readUpstreamFailure(this.#deployment, this.#status, this.#headers, text));
    } catch (error) {
      this.fail(malformedResponse(error));
    }
  }

  /** Reads a complete large response. Nearly always, this needs no text of it. A trace contains the text. */
  #readLarge(pieces: BodyPieces): void {
    inStage(this.call, "sent").lastByteAtMs = this.context.now();
    let read: PiecedAnswer | null;
    try {
      const { translation } = offeredBy(this.call, this.#deployment);
      read = this.call.trace === null ? (translation.readPieces?.(this.call, pieces) ?? null) : null;
    } catch (error) {
      return this.#failUnreadable(error, pieces.toString("latin1"));
    }
    if (read === null) return this.#readWhole(pieces.toString("latin1"));
    this.settle(read, read.namedModel, null);
  }

  /** Reads a complete response. A malformed response or an error response makes the attempt fail. */
  #readWhole(text: string): void {
    // The time is recorded before parsing, because parsing counts as gateway time.
    inStage(this.call, "sent").lastByteAtMs = this.context.now();
    if (this.call.trace !== null) this.call.trace.addText(text);
    let read: ReadAnswer;
    try {
      const { translation } = offeredBy(this.call, this.#deployment);
      read = translation.readAnswer(this.call, text, this.#headers);
    } catch (error) {
      return this.#failUnreadable(error, text);
    }
    this.settle(read, text, null);
  }

  #failUnreadable(error: unknown, text: string): void {
    this.fail(withoutSecrets(this.#deployment, malformedResponse(error)), text);
  }

  /** True until the response, or the beginning of its stream, is returned or the attempt fails. */
  protected get isPending(): boolean {
    return this.#resolve !== null;
  }

  /** Returns the complete response, or the stream of which the text is the beginning. */
  protected settle(whole: ReadAnswer | null, text: string, stream: UpstreamStream | null): void {
    const resolve = this.#resolve;
    this.#resolve = null;
    this.#reject = null;
    this.#deployment.state.answer(this.context.wallClock());
    resolve?.({
      deployment: this.#deployment,
      headers: this.#headers,
      sentAtMs: this.#sentAtMs,
      answeredAtMs: this.call.lastByteAtMs,
      whole,
      stream,
      otherModel: otherModelIn(text, this.#deployment),
    });
  }

  #abandon(failure: Failure): void {
    this.control?.abort();
    const text = this.receivedText();
    this.#text = null;
    this.#pieces = null;
    this.fail(failure, text);
  }

  /** Returns the part of the response that has arrived and is not returned yet. */
  protected receivedText(): string {
    return this.#collectedText();
  }

  #collectedText(): string {
    return this.#status === 200 ? (this.takeText() ?? "") : "";
  }

  protected fail(cause: Failure, text = ""): void {
    if (this.failure !== null) return;
    this.context.live.remove(this);
    const failure = this.#reject === null ? cause : this.#withProduced(cause, text);
    if (this.call.trace !== null) this.call.trace.failAttempt(failure, this.context.now());
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    if (reject !== null) reject(failure);
    else this.failLater(failure);
  }

  /** Handles a failure after the response has been returned. */
  protected failLater(failure: Failure): void {
    this.failure = failure;
  }

  /** Adds the billed usage to a failure, if the response had begun or the operator's own timeout ended the attempt. */
  #withProduced(failure: Failure, text: string): Failure {
    const isOwnTimeout = failure.code === "timeout" || failure.code === "stream_timeout";
    const isBilled = isOwnTimeout ? this.control?.wasSent !== false : this.#status === 200;
    if (!isBilled || failure instanceof AbandonedRead || !(failure instanceof Failure)) return failure;
    return withProduced(failure, countProduced(this.call, this.#deployment, text));
  }

  #takePieces(): BodyPieces | null {
    const pieces = this.#pieces?.take() ?? null;
    this.#pieces = null;
    return pieces;
  }

  /** Returns the collected bytes, one character per byte; null if there are none. */
  protected takeText(): string | null {
    const text = this.#takePieces()?.toString("latin1") ?? this.#text;
    this.#text = null;
    this.#length = 0;
    return text;
  }
}

/** Returns the form of an upstream response, based on its content type. */
function formOf(headers: UpstreamHeaders, asked: AnswerForm): AnswerForm {
  const contentType = String(headers["content-type"] ?? "");
  if (contentType.startsWith("text/event-stream")) return "events";
  // Any content type other than JSON may be audio.
  return asked === "bytes" && !contentType.startsWith("application/json") ? "bytes" : "whole";
}
