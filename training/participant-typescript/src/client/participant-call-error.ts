import type { JsonObject } from "../handlers.ts";

interface CallErrorFacts {
  /** HTTP status, or 0 if no response arrived. */
  readonly status: number;
  /** The participant's own error code, or UNREACHABLE, TIMEOUT, INVALID_ANSWER, JOB_LOST, REDIRECTED, HTTP_ERROR. */
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly details?: JsonObject;
  readonly jobId?: string;
  readonly cause?: unknown;
}

/** A participant call that failed. The message is safe to display: short, printable, and without secrets. */
export class ParticipantCallError extends Error {
  readonly status: number;
  readonly code: string;
  /** True if the same call, with the same idempotency key, may succeed later. */
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

/**
 * Returns the error for an invalid response with a success status. It isn't retryable, because a retry gives the same
 * result.
 */
export function invalidAnswer(problem: string, status = 200): ParticipantCallError {
  return new ParticipantCallError(`invalid response: ${problem}`, {
    status,
    code: "INVALID_ANSWER",
    retryable: false,
  });
}
