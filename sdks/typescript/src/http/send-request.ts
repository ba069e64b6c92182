import { ApiError, ConnectionError } from "./api-error.ts";
import { readApiError } from "./read-api-error.ts";

/** Send options shared by the platform client and the gateway client. */
export interface SendOptions {
  /** Timeout per attempt, from its start to the end of the response (for streams, to the start of the response). */
  readonly timeoutMs?: number;
  /** Maximum number of retries for a safe request after a transient failure. */
  readonly retries?: number;
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Called before each attempt. Headers are omitted because they contain credentials. */
  readonly onRequest?: (request: SentRequest) => void;
  /** Called after each attempt that received a response. */
  readonly onAnswer?: (answer: ReceivedAnswer) => void;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Attempt number, starting at 1. */
  readonly attempt: number;
  readonly body: string | null;
}

export interface ReceivedAnswer {
  readonly method: string;
  readonly url: string;
  readonly attempt: number;
  readonly status: number;
  readonly requestId: string | null;
  readonly durationMs: number;
  /** Response body; null for a stream or bytes. */
  readonly text: string | null;
}

interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
  readonly credentials?: "omit" | "same-origin";
  /** True if the request can safely be sent again. */
  readonly isSafe: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Complete body, if the response was requested as text. */
  readonly text: string;
  readonly response: Response;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 20_000;

/**
 * Returns the response of the first successful attempt. Otherwise, throws an `ApiError` or, if the caller's signal
 * aborts, the signal's reason.
 */
export async function sendRequest(
  request: OutgoingRequest,
  options: SendOptions,
  want: "text" | "stream" = "text",
): Promise<Answer> {
  const tries = 1 + (request.isSafe ? (options.retries ?? DEFAULT_RETRIES) : 0);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(request, options, want, attempt);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.retryable || attempt >= tries) throw error;
      const pauseMs = pauseAfter(error, attempt);
      if (pauseMs > MAX_PAUSE_MS) throw error;
      await pause(pauseMs, request.signal);
    }
  }
}

async function sendOnce(
  request: OutgoingRequest,
  options: SendOptions,
  want: "text" | "stream",
  attempt: number,
): Promise<Answer> {
  const { method, url, signal: own } = request;
  const limit = new AbortController();
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const startedAt = performance.now();
  options.onRequest?.({ method, url, attempt, body: typeof request.body === "string" ? request.body : null });
  try {
    // Call `fetch` unbound, because browsers reject a `fetch` call with a different `this`.
    const ask = options.fetch ?? fetch;
    const response = await ask(url, {
      method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      ...(request.credentials !== undefined && { credentials: request.credentials }),
      // A credential must never follow a redirect to another host.
      redirect: "error",
      signal: own === undefined ? limit.signal : AbortSignal.any([limit.signal, own]),
    });
    const isRead = want === "text" || !response.ok;
    const text = isRead ? await response.text() : "";
    options.onAnswer?.({
      method,
      url,
      attempt,
      status: response.status,
      requestId: response.headers.get("x-request-id") ?? response.headers.get("x-gw-call-id"),
      durationMs: performance.now() - startedAt,
      text: isRead ? text : null,
    });
    if (!response.ok) throw readApiError(response.status, text, response.headers, response.url);
    return { status: response.status, headers: response.headers, text, response };
  } catch (error) {
    if (error instanceof ApiError || own?.aborted === true) throw error;
    throw noAnswer(url, limit.signal.aborted ? timeoutMs : null, error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Creates the error for a missing response. The message includes the host, because a wrong host setting is the most
 * common cause.
 */
function noAnswer(url: string, timeoutMs: number | null, cause: unknown): ConnectionError {
  const where = /^https?:\/\/[^/]*/.exec(url)?.[0] ?? "the server";
  const { code } = ((cause as Error).cause ?? {}) as { code?: string };
  const message =
    timeoutMs === null
      ? `No response from ${where}: ${code ?? (cause as Error).message}.`
      : `No response from ${where} within ${timeoutMs / 1000} s.`;
  return new ConnectionError(
    0,
    message,
    { ...nothingKnown, code: timeoutMs === null ? "NO_ANSWER" : "TIMEOUT" },
    cause,
  );
}

const nothingKnown = {
  reason: null,
  details: {},
  requestId: null,
  fix: null,
  limit: null,
  docUrl: null,
  retryAfterSeconds: null,
};

/**
 * Returns the delay before the next attempt: the server's Retry-After, or exponential backoff. Jitter prevents callers
 * from retrying in sync.
 */
function pauseAfter(error: ApiError, attempt: number): number {
  if (error.retryAfterSeconds !== null) return error.retryAfterSeconds * 1000 + Math.random() * FIRST_PAUSE_MS;
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}
