import type { CallTrace } from "../call/call-tracing.ts";
import type { Deployment } from "../call/deployment.ts";
import { AnswerEnd } from "./answer-end.ts";
import { newSpanId, newTraceId, type TraceParent, writeTraceparent } from "./trace-context.ts";

/** One attempt on a deployment. Times come from the exchange's clock. */
export interface TracedAttempt {
  readonly spanId: string;
  readonly deployment: Deployment;
  readonly sentAtMs: number;
  /** Null while the attempt is running, and for the last attempt, which ends with the call. */
  endedAtMs: number | null;
  error: unknown;
}

/** Data about a traced call, recorded until the call ends. */
export class RecordedTrace implements CallTrace {
  readonly traceId: string;
  readonly spanId = newSpanId();
  readonly parentSpanId: string | null;
  readonly attempts: TracedAttempt[] = [];
  /** Model and finish reason of the current attempt's response. */
  end: AnswerEnd = new AnswerEnd("");

  constructor(parent: TraceParent | null) {
    this.traceId = parent?.traceId ?? newTraceId();
    this.parentSpanId = parent?.spanId ?? null;
  }

  beginAttempt(deployment: Deployment, sentAtMs: number): string {
    const spanId = newSpanId();
    this.attempts.push({ spanId, deployment, sentAtMs, endedAtMs: null, error: null });
    this.end = new AnswerEnd(deployment.upstreamModel);
    return writeTraceparent(this.traceId, spanId, true);
  }

  failAttempt(error: unknown, nowMs: number): void {
    const attempt = this.attempts.at(-1);
    if (attempt === undefined || attempt.endedAtMs !== null) return;
    attempt.endedAtMs = nowMs;
    attempt.error = error;
  }

  addText(text: string): void {
    this.end.addText(text);
  }
}

/** Trace of a call that the caller's trace context marks as not sampled. The trace context is forwarded unchanged. */
export class PassedTrace implements CallTrace {
  readonly #traceparent: string;

  constructor({ traceId, spanId, isSampled }: TraceParent) {
    this.#traceparent = writeTraceparent(traceId, spanId, isSampled);
  }

  beginAttempt(): string {
    return this.#traceparent;
  }

  failAttempt(): void {}

  addText(): void {}
}
