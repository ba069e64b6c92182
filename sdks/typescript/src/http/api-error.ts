/** What a refusal tells besides its message. What the server did not say is null. */
export interface ApiErrorFacts {
  readonly code: string;
  /** The finer reason, such as `NAME_TAKEN`. */
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  /** What the caller can do about it. */
  readonly fix: string | null;
  readonly limit: ReachedLimit | null;
  readonly docUrl: string | null;
  readonly retryAfterSeconds: number | null;
}

/** The limit a call ran into: whose it is, how much of it is used, and when it starts anew. */
export interface ReachedLimit {
  readonly kind: string;
  readonly ownerType: string;
  readonly ownerName: string;
  readonly current: number | string;
  readonly maximum: number | string;
  readonly resetsAt: string | null;
}

/** A refusal of the platform or the gateway, or no answer at all. The classes below tell the kinds apart. */
export class ApiError extends Error implements ApiErrorFacts {
  /** The status of the answer; 0 when there was none. */
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

  /** Whether the same request may be answered a little later. Spent credit is told by 429 too, and waiting does not fill it. */
  get retryable(): boolean {
    if (this.status === 429) return this.code !== "QUOTA_EXCEEDED";
    return [0, 408, 502, 503, 504].includes(this.status);
  }
}

/** 400, 413, 415, 422: the request itself is wrong. */
export class BadRequestError extends ApiError {}
/** 401: no credential, or one that is no longer good. */
export class AuthenticationError extends ApiError {}
/** 402, and 429 for spent credit: no credit left, or a budget is spent. */
export class CreditError extends ApiError {}
/** 403: the caller may not do this, or its team is blocked. */
export class PermissionError extends ApiError {}
/** 404, 405: nothing is there. */
export class NotFoundError extends ApiError {}
/** 409: another record or state stands against it. */
export class ConflictError extends ApiError {}
/** 429: too often. `retryAfterSeconds` says when to go on. */
export class RateLimitError extends ApiError {}
/** 408 and 5xx: a fault of the server, or of something behind it. */
export class ServerError extends ApiError {}
/** No answer: the server was not reached, or not in time (code `TIMEOUT`). */
export class ConnectionError extends ApiError {}

/** The class that stands for a status and code. */
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
