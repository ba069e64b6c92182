import type { Failure } from "@tollgate/contracts/failures.ts";
import { unreadable } from "../accounting/upstream-failures.ts";
import { type Call, inStage } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { StreamListener, UpstreamAnswer, UpstreamStream } from "../call/upstream-answer.ts";
import type { AttemptLimits } from "../limits/live-calls.ts";
import { Attempt, type AttemptContext } from "./call-upstream.ts";

/** UTF-8 byte order mark, one character per byte. */
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
/** Maximum number of bytes of a stream before its first frame is complete. */
const MAX_EARLY_BYTES = 1024 * 1024;

/** Calls one target and waits for the first frame of its stream. Throws a Failure if no frame arrives. */
export function openStream(
  call: Call,
  deployment: Deployment,
  limits: AttemptLimits,
  context: AttemptContext,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const attempt = new StreamAttempt(call, deployment, limits, context, resolve, reject);
    attempt.start();
  });
}

/** Streams with unflushed text, collected so that each read results in one write. */
let dirty: StreamAttempt[] = [];

function flushDirty(): void {
  const attempts = dirty;
  dirty = [];
  for (const attempt of attempts) attempt.flush();
}

/** An attempt whose response is a stream. A response with another status than 200 is read as a whole. */
class StreamAttempt extends Attempt implements UpstreamStream {
  #listener: StreamListener | null = null;
  #isQueued = false;
  #hasEnded = false;
  #early = "";
  #endsInReturn = false;

  override onData(chunk: Buffer): void {
    if (!this.isAnswering) return super.onData(chunk);
    this.collect(chunk);
    if (this.#isQueued) return;
    this.#isQueued = true;
    if (dirty.push(this) === 1) process.nextTick(flushDirty);
  }

  override onEnd(): void {
    if (!this.isAnswering) return super.onEnd();
    this.flush();
    this.#hasEnded = true;
    this.context.live.remove(this);
    if (this.#listener !== null) this.#listener.onEnd();
    else if (this.isPending) this.fail(unreadable("The model's response ended before its first event."));
  }

  override onError(error: Error): void {
    if (this.isAnswering) this.flush();
    super.onError(error);
  }

  /** Passes on all text received since the last flush. */
  flush(): void {
    this.#isQueued = false;
    const taken = this.takeText();
    if (taken === null) return;
    const text = this.#endsInReturn || taken.includes("\r") ? this.#withLineFeeds(taken) : taken;
    const nowMs = this.context.now();
    inStage(this.call, "sent").lastByteAtMs = nowMs;
    if (this.call.trace !== null) this.call.trace.addText(text);
    this.deadlineMs = nowMs + this.limits.streamTimeoutMs;
    if (this.#listener !== null) return this.#listener.onText(text);
    this.#early += text;
    if (!this.isPending) return;
    if (this.#early.startsWith(BYTE_ORDER_MARK)) this.#early = this.#early.slice(BYTE_ORDER_MARK.length);
    if (this.call.answerForm === "bytes" || hasFrame(this.#early)) this.settle(null, this.#early, this);
    else if (this.#early.length > MAX_EARLY_BYTES) this.refuseLarge();
  }

  listen(listener: StreamListener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = "";
    if (early !== "") listener.onText(early);
    if (this.failure !== null) listener.onFailure(this.failure);
    else if (this.#hasEnded) listener.onEnd();
  }

  pause(): void {
    this.control?.pause();
    this.deadlineMs = Number.POSITIVE_INFINITY;
  }

  resume(): void {
    this.deadlineMs = this.context.now() + this.limits.streamTimeoutMs;
    this.control?.resume();
  }

  /** Aborts the upstream request. The listener requested the abort, so the listener is not called again. */
  abort(): void {
    this.#listener = null;
    this.stopReading(null);
  }

  protected override passDeadline(failure: Failure): void {
    if (this.#listener !== null) this.#listener.onCallerDeadline(failure);
    else super.passDeadline(failure);
  }

  protected override receivedText(): string {
    return this.isAnswering ? this.#early : super.receivedText();
  }

  protected override failLater(failure: Failure): void {
    if (this.#listener !== null) this.#listener.onFailure(failure);
    else super.failLater(failure);
  }

  /** Normalizes the three line endings of event streams to line feeds. */
  #withLineFeeds(text: string): string {
    if (this.call.answerForm !== "events") return text;
    // A CRLF pair may be split across two chunks.
    const rest = this.#endsInReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endsInReturn = text.endsWith("\r");
    return rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  }
}

/** Reports whether the text contains a complete frame with data. Keep-alive comments don't count. */
function hasFrame(text: string): boolean {
  const at = text.startsWith("data:") ? 0 : text.indexOf("\ndata:");
  if (at < 0) return false;
  return text.indexOf("\n\n", at) >= 0;
}
