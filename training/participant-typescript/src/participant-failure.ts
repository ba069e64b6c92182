import type { JsonValue } from "./handlers.ts";

/** Participant error codes and their HTTP statuses. */
const PARTICIPANT_CODES = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BUSY: 409,
  CONFLICT: 409,
  CANCELLED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INCOMPATIBLE_PARAMETERS: 422,
  TOO_MANY_ATTEMPTS: 429,
  HANDLER_ERROR: 500,
  INVALID_RESULT: 500,
  NOT_REGISTERED: 501,
  SHUTTING_DOWN: 503,
  HANDLER_TIMEOUT: 504,
} as const;

export type ParticipantCode = keyof typeof PARTICIPANT_CODES;

interface FailureExtras {
  readonly details?: Record<string, JsonValue>;
  readonly jobId?: string;
  /** Response headers, such as `retry-after` and `allow`. */
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/** A refusal or failure as sent to the caller: `{"error", "code", "details"?, "jobId"?}`. */
export class ParticipantFailure extends Error {
  readonly code: ParticipantCode;
  readonly extras: FailureExtras;

  constructor(code: ParticipantCode, message: string, extras: FailureExtras = {}) {
    super(message, { cause: extras.cause });
    this.name = "ParticipantFailure";
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return PARTICIPANT_CODES[this.code];
  }
}

/** Thrown by a handler if the request is invalid. The caller gets 400. */
export class BadRequest extends ParticipantFailure {
  constructor(message: string, details?: Record<string, JsonValue>) {
    super("VALIDATION_ERROR", message, { details });
    this.name = "BadRequest";
  }
}

/** Thrown by a handler or helper if shapes or formats do not match. The caller gets 422. */
export class IncompatibleParameters extends ParticipantFailure {
  constructor(message: string, details?: Record<string, JsonValue>) {
    super("INCOMPATIBLE_PARAMETERS", message, { details });
    this.name = "IncompatibleParameters";
  }
}
