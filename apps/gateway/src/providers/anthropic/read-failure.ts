import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import type { UpstreamHeaders } from "../../call/provider.ts";
import { codeOfStatus, plainMessages } from "../code-of-status.ts";
import { readRetryAfter } from "../read-retry-after.ts";
import { redactKeysAndUrls } from "../redact-keys-and-urls.ts";

/** Converts a provider error to a failure. Only the messages of client errors are passed on. */
export function readMessagesFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  const { type, message } = parseError(body);
  const detail = { upstreamStatus: status, upstreamCode: type };
  if (status === 401 || status === 402 || status === 403 || isUnpaid(message)) {
    // The provider rejected the operator's account, not the client's key.
    return new Failure("internal_error", "upstream credential rejected", { detail: { ...detail, isCredential: true } });
  }
  const code = classify(status, message);
  const isOfRequest = status >= 400 && status < 500 && message !== null;
  const retryAfterMs = readRetryAfter(headers);
  return new Failure(
    code,
    isOfRequest ? redactKeysAndUrls(message) : (plainMessages[code] ?? "The model could not respond."),
    {
      detail,
      ...(retryAfterMs !== null && { retryAfterMs }),
    },
  );
}

/** Converts an error event in a stream. The error type determines the status. */
export function readStreamFailure(data: string): Failure {
  return readMessagesFailure(statusesByType[parseError(data).type ?? ""] ?? 500, {}, data);
}

const statusesByType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

function classify(status: number, message: string | null): FailureCode {
  if (status === 400) return classifyBadRequest((message ?? "").toLowerCase());
  return status === 413 ? "request_too_large" : codeOfStatus(status);
}

function classifyBadRequest(text: string): FailureCode {
  if (text.includes("prompt is too long") || text.includes("exceed context limit")) return "context_length_exceeded";
  if (text.includes("context window")) return "context_length_exceeded";
  if (text.includes("content filtering policy")) return "content_filter";
  return "invalid_request";
}

/** Reports whether the operator's account has no credit, which the provider reports as an invalid request. */
function isUnpaid(message: string | null): boolean {
  return message !== null && /credit balance is too low|reached your specified api usage limits/i.test(message);
}

function parseError(body: string): { type: string | null; message: string | null } {
  try {
    const parsed = JSON.parse(Buffer.from(body, "latin1").toString("utf8")) as { error?: unknown } | null;
    const { type, message } = (parsed?.error ?? {}) as Record<string, unknown>;
    return {
      type: typeof type === "string" ? type : null,
      message: typeof message === "string" ? message : null,
    };
  } catch {
    return { type: null, message: null };
  }
}
