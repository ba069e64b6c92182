import type { JsonObject } from "../handlers.ts";

export interface CallErrorFacts {
  /** The HTTP status, or 0 when no answer came. */
  readonly status: number;
  /** The participant's own code, or UNREACHABLE, TIMEOUT, INVALID_ANSWER, JOB_LOST, REDIRECTED, HTTP_ERROR. */
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly details?: JsonObject;
  readonly jobId?: string;
  readonly cause?: unknown;
}

/** A call to a participant that gave no result. The message is safe to show: short, printable, without secrets. */
export class ParticipantCallError extends Error {
  readonly status: number;
  readonly code: string;
  /** Whether the same call, with the same idempotency key, may work a little later. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly details: JsonObject | undefined;
  readonly jobId: string | undefined;

  constructor(message: string, facts: CallErrorFacts) {
    super(message, { cause: facts.cause });
    this.name = "ParticipantCallError";
    this.status = facts.status;
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.details = facts.details;
    this.jobId = facts.jobId;
  }
}

/** An answer that says success and is none. Asking again would give the same. */
export function invalidAnswer(problem: string, status = 200): ParticipantCallError {
  return new ParticipantCallError(`invalid response: ${problem}`, {
    status,
    code: "INVALID_ANSWER",
    retryable: false,
  });
}
