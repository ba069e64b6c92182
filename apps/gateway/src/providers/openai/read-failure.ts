import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import type { UpstreamHeaders } from "../../call/provider.ts";
import { codeOfStatus, plainMessages } from "../code-of-status.ts";
import { readRetryAfter } from "../read-retry-after.ts";
import { redactKeysAndUrls } from "../redact-keys-and-urls.ts";
import { parseObject } from "./parse-object.ts";
import { readError, type UpstreamError } from "./read-error.ts";

/**
 * Converts an upstream error to a failure. Client error messages are passed on, and server error messages are replaced.
 */
export function readOpenAiFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  const error = readError(body);
  const detail = { upstreamStatus: status, upstreamCode: error.code };
  const code = classify(status, error);
  const retryAfterMs = readRetryAfter(headers);
  if (isOfOperator(status, error, code)) {
    // The error isn't about the client's key. The provider rejected the operator's credential or account.
    return new Failure("internal_error", "upstream credential rejected", { detail: { ...detail, isCredential: true } });
  }
  const isOfRequest = status >= 400 && status < 500;
  const message = isOfRequest && error.message !== null ? redactKeysAndUrls(error.message) : plainMessages[code];
  return new Failure(code, message ?? "The model could not respond.", {
    detail,
    ...(error.param !== null && { param: redactKeysAndUrls(error.param) }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}

/**
 * Returns the failure that a response or frame reports in its JSON, or null if it reports no failure. Some upstreams
 * include a status.
 */
export function readReportedFailure(json: string, usualStatus: number): Failure | null {
  const error = parseObject(json)?.error;
  if (error == null || (typeof error !== "object" && typeof error !== "string")) return null;
  const { status, code } = error as { status?: unknown; code?: unknown };
  const number = Number(status ?? code);
  return readOpenAiFailure(Number.isInteger(number) && number >= 400 && number < 600 ? number : usualStatus, {}, json);
}

/** Phrases in upstream errors for a prompt that is too long, in lowercase. */
const tooLong = [
  "context length",
  "context window",
  "maximum prompt length",
  "context size",
  "token limit",
  "too large for model",
  "prompt is too long",
  "input is too long",
  "reduce the length",
  "max_new_tokens",
];
/** Phrases in upstream errors for content that isn't allowed, in lowercase. */
const notAllowed = [
  "content management policy",
  "content policy",
  "content filter",
  "usage guidelines",
  "usage policy",
  "usage policies",
  "content exists risk",
  "considered high risk",
  "was flagged",
];
const codes: Readonly<Record<string, FailureCode>> = {
  context_length_exceeded: "context_length_exceeded",
  tokens_limit_reached: "context_length_exceeded",
  content_policy_violation: "content_policy_violation",
  content_filter: "content_filter",
  rate_limit_exceeded: "upstream_rate_limit",
};

/**
 * Reports whether the operator must fix the error, such as a rejected credential (with any status) or an account
 * without credit.
 */
function isOfOperator(status: number, { message, code }: UpstreamError, classified: FailureCode): boolean {
  if (status === 401 || status === 402) return true;
  if (status === 403) return classified !== "content_policy_violation";
  return status === 400 && (code === "invalid_api_key" || /\b(?:incorrect|invalid) api key\b/i.test(message ?? ""));
}

function classify(status: number, error: UpstreamError): FailureCode {
  if (status === 400 || status === 403 || status === 413) return classifyBadRequest(error);
  if (status === 500 && error.code === "json_schema_validation_failed") return error.code;
  return status === 508 ? "loop_detected" : codeOfStatus(status);
}

function classifyBadRequest({ code, message }: UpstreamError): FailureCode {
  const known = code === null ? undefined : codes[code];
  if (known !== undefined) return known;
  const text = (message ?? "").toLowerCase();
  if (tooLong.some((mark) => text.includes(mark))) return "context_length_exceeded";
  return notAllowed.some((mark) => text.includes(mark)) ? "content_policy_violation" : "invalid_request";
}
