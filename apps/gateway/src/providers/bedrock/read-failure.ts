import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import type { UpstreamHeaders } from "../../call/provider.ts";
import { codeOfStatus, plainMessages } from "../code-of-status.ts";
import { readRetryAfter } from "../read-retry-after.ts";
import { redactKeysAndUrls } from "../redact-keys-and-urls.ts";

/** Converts an Amazon error to a failure. Only messages about the request itself are passed on. */
export function readBedrockFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  const { type, message } = parseError(body);
  return toFailure(exceptionName(headers["x-amzn-errortype"] ?? type), status, message, readRetryAfter(headers));
}

/**
 * Reports whether Amazon rejected the keys themselves, so that new keys may work. Amazon also responds with 403 if valid
 * keys lack a permission.
 */
export function rejectsKeys(status: number, headers: UpstreamHeaders): boolean {
  return status === 401 || (status === 403 && ofRejectedKeys.test(exceptionName(headers["x-amzn-errortype"])));
}

/** Returns an exception's name without its namespace and the URL that explains it. */
function exceptionName(written: UpstreamHeaders[string] | null): string {
  const named = String(written ?? "").split(":")[0] ?? "";
  return named.split("#").at(-1) ?? "";
}

/** Converts the exception that ends a stream. The exception's name determines the status. */
export function readStreamException(name: string, body: unknown): Failure {
  const exception = name.charAt(0).toUpperCase() + name.slice(1);
  return toFailure(exception, statusesByName[exception] ?? 500, messageIn(body), null);
}

const statusesByName: Readonly<Record<string, number>> = {
  ValidationException: 400,
  AccessDeniedException: 403,
  ResourceNotFoundException: 404,
  ModelTimeoutException: 408,
  ModelStreamErrorException: 424,
  ThrottlingException: 429,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
};

/** Failure codes by exception name, for exceptions whose status suggests a different code. */
const codesByName: Readonly<Record<string, FailureCode>> = {
  ThrottlingException: "upstream_rate_limit",
  TooManyRequestsException: "upstream_rate_limit",
  ServiceQuotaExceededException: "upstream_rate_limit",
  ModelNotReadyException: "service_unavailable",
  ModelErrorException: "service_unavailable",
  ModelStreamErrorException: "service_unavailable",
  ModelTimeoutException: "timeout",
};

/** Exception names for an invalid or expired operator credential, regardless of the status. */
const ofCredential =
  /^(?:AccessDenied|UnrecognizedClient|InvalidSignature|IncompleteSignature|ExpiredToken|InvalidClientTokenId|MissingAuthenticationToken|NotAuthorized)/;

/** Exception names for keys that expired or don't exist. */
const ofRejectedKeys = /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId)(?:Exception)?$/;

function toFailure(name: string, status: number, message: string | null, retryAfterMs: number | null): Failure {
  const detail = { upstreamStatus: status, upstreamCode: name === "" ? null : name };
  if (status === 401 || status === 403 || ofCredential.test(name)) {
    // The error isn't about the client's key. Amazon rejected the operator's account.
    return new Failure("internal_error", "upstream credential rejected", { detail: { ...detail, isCredential: true } });
  }
  const code = codesByName[name] ?? classify(status, (message ?? "").toLowerCase());
  const isOfRequest =
    status === 400 && codesByName[name] === undefined && message !== null && code !== "model_not_found";
  return new Failure(
    code,
    isOfRequest ? redactKeysAndUrls(message) : (plainMessages[code] ?? "The model could not respond."),
    {
      detail,
      ...(retryAfterMs !== null && { retryAfterMs }),
    },
  );
}

function classify(status: number, message: string): FailureCode {
  if (status === 413) return "request_too_large";
  if (status === 424) return "service_unavailable";
  if (status !== 400) return codeOfStatus(status);
  if (
    /input is too long|prompt is too long|too many (?:input )?tokens|maximum context|context window|context limit/.test(
      message,
    )
  ) {
    return "context_length_exceeded";
  }
  if (/content filter|blocked by|responsible ai|content policy/.test(message)) return "content_policy_violation";
  return /model identifier is invalid|on-demand throughput|end of its life/.test(message)
    ? "model_not_found"
    : "invalid_request";
}

function parseError(body: string): { type: string | null; message: string | null } {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
    const { __type: type } = (parsed ?? {}) as { readonly __type?: unknown };
    return { type: typeof type === "string" ? type : null, message: messageIn(parsed) };
  } catch {
    return { type: null, message: null };
  }
}

/** Returns the error message. Some Amazon services capitalize the field name. */
function messageIn(body: unknown): string | null {
  const { message, Message: capital } = (body ?? {}) as { readonly message?: unknown; readonly Message?: unknown };
  const text = message ?? capital;
  return typeof text === "string" && text !== "" ? text : null;
}
