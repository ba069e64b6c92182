import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import type { UpstreamHeaders } from "../../call/provider.ts";
import { codeOfStatus, plainMessages } from "../code-of-status.ts";
import { checkWait, readRetryAfter } from "../read-retry-after.ts";
import { redactKeysAndUrls } from "../redact-keys-and-urls.ts";

/** Converts a Google error to a failure. Only messages about the request itself are passed on. */
export function readGeminiFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  const error = parseError(body);
  const detail = { upstreamStatus: status, upstreamCode: error.status, upstreamReason: error.reason };
  if (isOfOperator(status, error)) {
    // The error isn't about the client's key. Google rejected the operator's credential, project, or location.
    return new Failure("internal_error", "upstream credential rejected", { detail: { ...detail, isCredential: true } });
  }
  const code = classify(status, error);
  const retryAfterMs = error.retryDelayMs ?? readRetryAfter(headers);
  const message = isOfRequest.has(code) && error.message !== "" ? redactKeysAndUrls(error.message) : messages[code];
  return new Failure(code, message ?? "The model could not respond.", {
    detail,
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}

const isOfRequest: ReadonlySet<FailureCode> = new Set([
  "invalid_request",
  "context_length_exceeded",
  "content_policy_violation",
  "unprocessable_entity",
]);

const messages: typeof plainMessages = { ...plainMessages, invalid_request: "The model refused the request." };

interface GoogleError {
  readonly message: string;
  /** For example, `INVALID_ARGUMENT`. */
  readonly status: string | null;
  /** For example, `API_KEY_INVALID`. */
  readonly reason: string | null;
  readonly retryDelayMs: number | null;
}

/**
 * Reports whether the operator's setup caused the error. Google reports an invalid key, region, or project as a bad
 * request.
 */
function isOfOperator(status: number, { message, status: name, reason }: GoogleError): boolean {
  // A 403 for a file that the operator can't access is an error in the request.
  if (status === 403) return !/\b(?:file|cached ?content)\b/i.test(message);
  if (status === 401 || reason === "API_KEY_INVALID") return true;
  return status === 400 && name === "FAILED_PRECONDITION" && /location|billing|region|country/i.test(message);
}

function classify(status: number, error: GoogleError): FailureCode {
  if (status === 400 || status === 413) return classifyBadRequest(error.message.toLowerCase());
  // Status 499 means that Google canceled the call.
  return status === 499 ? "service_unavailable" : codeOfStatus(status);
}

function classifyBadRequest(message: string): FailureCode {
  if (message.includes("exceeds the maximum number of tokens")) return "context_length_exceeded";
  if (message.includes("token count") && message.includes("exceeds")) return "context_length_exceeded";
  if (message.includes("blocked") || message.includes("usage policy") || message.includes("prohibited use")) {
    return "content_policy_violation";
  }
  return "invalid_request";
}

const NOTHING: GoogleError = { message: "", status: null, reason: null, retryDelayMs: null };

/** Reads the error from its envelope, which is an object or, for streams, a list with one object. */
function parseError(body: string): GoogleError {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
    const envelope = (Array.isArray(parsed) ? parsed[0] : parsed) as { readonly error?: RawError } | null;
    const error = envelope?.error;
    if (typeof error !== "object" || error === null) return NOTHING;
    const details = Array.isArray(error.details) ? (error.details as readonly RawDetail[]) : [];
    return {
      message: typeof error.message === "string" ? error.message : "",
      status: typeof error.status === "string" ? error.status : null,
      reason: details.map(({ reason }) => reason).find((reason) => typeof reason === "string") ?? null,
      retryDelayMs: durationMs(details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay),
    };
  } catch {
    return NOTHING;
  }
}

interface RawError {
  readonly message?: unknown;
  readonly status?: unknown;
  readonly details?: unknown;
}

interface RawDetail {
  readonly reason?: string;
  readonly retryDelay?: unknown;
}

/** Parses a duration such as `34.5s`. */
function durationMs(text: unknown): number | null {
  const seconds = typeof text === "string" && /^\d+(?:\.\d+)?s$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  return checkWait(Math.ceil(seconds * 1_000));
}
