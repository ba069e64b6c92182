/** A refusal of the platform. */
export class PlatformError extends Error {
  readonly status: number;
  /** One of the eight codes of the interface. */
  readonly code: string;
  /** The finer reason, such as `NAME_TAKEN`. */
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: ErrorBody, retryAfterSeconds: number | null) {
    super(body.error ?? `The platform answered ${status}.`);
    this.name = "PlatformError";
    this.status = status;
    this.code = body.code ?? "SERVER_ERROR";
    this.details = body.details ?? {};
    this.reason = typeof this.details.reason === "string" ? this.details.reason : null;
    this.requestId = body.requestId ?? null;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface ErrorBody {
  readonly error?: string;
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string;
}

/** The error of an answer; one that is not the platform's own, such as a balancer's page, is told by its status alone. */
export function readPlatformError(status: number, text: string, retryAfter: string | null): PlatformError {
  const seconds = retryAfter === null || !/^\d+$/.test(retryAfter) ? null : Number(retryAfter);
  try {
    return new PlatformError(status, JSON.parse(text) as ErrorBody, seconds);
  } catch {
    return new PlatformError(status, {}, seconds);
  }
}
