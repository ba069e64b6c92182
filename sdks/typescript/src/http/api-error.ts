/** Error fields beyond the message. Fields that the server did not send are null. */
export interface ApiErrorFacts {
  readonly code: string;
  /** Specific reason, such as `NAME_TAKEN`. */
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  /** Suggested fix for the caller. */
  readonly fix: string | null;
  readonly limit: ReachedLimit | null;
  readonly docUrl: string | null;
  readonly retryAfterSeconds: number | null;
}

/** The limit that a call reached: its owner, the amount used, and when it resets. */
export interface ReachedLimit {
  readonly kind: string;
  readonly ownerType: string;
  readonly ownerName: string;
  readonly current: number | string;
  readonly maximum: number | string;
  readonly resetsAt: string | null;
}

/** An error response from the platform or the gateway, or a missing response. Each kind of error has a subclass. */
export class ApiError extends Error implements ApiErrorFacts {
  /** HTTP status of the response; 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly fix: string | null;
  readonly limit: ReachedLimit | null;
  readonly docUrl: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, facts: ApiErrorFacts, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.status = status;
    this.code = facts.code;
    this.reason = facts.reason;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.fix = facts.fix;
    this.limit = facts.limit;
    this.docUrl = facts.docUrl;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  /**
   * Reports whether the same request may succeed later. Exhausted credit also returns 429, but waiting doesn't help.
   */
  get retryable(): boolean {
    if (this.status === 429) return this.code !== "QUOTA_EXCEEDED";
    return [0, 408, 502, 503, 504].includes(this.status);
  }
}

/** 400, 413, 415, 422: the request is invalid. */
export class BadRequestError extends ApiError {}
/** 401: the credential is missing, expired, or revoked. */
export class AuthenticationError extends ApiError {}
/** 402, and 429 for exhausted credit: no credit is left, or a budget is exhausted. */
export class CreditError extends ApiError {}
/** 403: the caller lacks permission, or its team is blocked. */
export class PermissionError extends ApiError {}
/** 404, 405: not found. */
export class NotFoundError extends ApiError {}
/** 409: the request conflicts with an existing record or state. */
export class ConflictError extends ApiError {}
/** 429: rate limit reached. `retryAfterSeconds` is the time to wait before a retry. */
export class RateLimitError extends ApiError {}
/** 408 and 5xx: the server or one of its upstreams failed. */
export class ServerError extends ApiError {}
/** No response arrived: the server was unreachable, or the request timed out (code `TIMEOUT`). */
export class ConnectionError extends ApiError {}

/** Returns the error class for a status and code. */
export function errorClassFor(status: number, code: string): typeof ApiError {
  if (code === "QUOTA_EXCEEDED" || status === 402) return CreditError;
  if (status === 408 || status >= 500) return ServerError;
  return classes[status] ?? ApiError;
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: NotFoundError,
  409: ConflictError,
  413: BadRequestError,
  415: BadRequestError,
  422: BadRequestError,
  429: RateLimitError,
};
