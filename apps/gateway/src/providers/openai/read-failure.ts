import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import type { UpstreamHeaders } from "../provider.ts";

const MAX_RETRY_AFTER_MS = 3_600_000;
const MAX_SHOWN_TEXT = 500;

/** What went wrong upstream, in our own terms. Texts of client errors are passed on, texts of server errors are not. */
export function readOpenAiFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  const error = parseError(body);
  const detail = { upstreamStatus: status, upstreamCode: error.code };
  const code = classify(status, error);
  const retryAfterMs = readRetryAfter(headers);
  if (status === 401 || status === 403) {
    // The client's own key is fine: what was refused is the operator's credential.
    return new Failure("internal_error", "upstream credential rejected", { detail: { ...detail, isCredential: true } });
  }
  const isOfRequest = status >= 400 && status < 500;
  const message = isOfRequest && error.message !== null ? error.message : plainMessages[code];
  return new Failure(code, message ?? "The model could not answer.", {
    detail,
    ...(error.param !== null && { param: error.param }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}

const plainMessages: Partial<Record<FailureCode, string>> = {
  internal_error: "The model failed to answer.",
  service_unavailable: "The model is not available at the moment.",
  bad_gateway: "The model answered something that cannot be read.",
  timeout: "The model did not answer in time.",
  upstream_rate_limit: "The model's own rate limit was reached.",
  model_not_found: "The upstream does not know the model.",
};

interface UpstreamError {
  readonly message: string | null;
  readonly code: string | null;
  readonly param: string | null;
}

function classify(status: number, error: UpstreamError): FailureCode {
  if (status === 400 || status === 413) return classifyBadRequest(error);
  if (status === 404) return "model_not_found";
  if (status === 408 || status === 504) return "timeout";
  if (status === 422) return "unprocessable_entity";
  if (status === 429) return "upstream_rate_limit";
  if (status === 500) return error.code === "json_schema_validation_failed" ? error.code : "internal_error";
  // A redirect is never followed, and no other success than 200 is an answer.
  if (status === 502 || status < 400) return "bad_gateway";
  return status >= 500 ? "service_unavailable" : "invalid_request";
}

function classifyBadRequest(error: UpstreamError): FailureCode {
  if (error.code === "context_length_exceeded") return "context_length_exceeded";
  if (error.code === "content_policy_violation") return "content_policy_violation";
  if (error.code === "content_filter") return "content_filter";
  const text = (error.message ?? "").toLowerCase();
  if (text.includes("maximum context length") || text.includes("context window")) return "context_length_exceeded";
  if (text.includes("content management policy") || text.includes("content policy")) return "content_policy_violation";
  return "invalid_request";
}

function parseError(body: string): UpstreamError {
  try {
    const parsed = JSON.parse(Buffer.from(body, "latin1").toString("utf8")) as { error?: unknown };
    const error = parsed.error;
    if (typeof error === "string") return { message: shown(error), code: null, param: null };
    if (typeof error !== "object" || error === null) return { message: null, code: null, param: null };
    const { message, code, param } = error as Record<string, unknown>;
    return {
      message: typeof message === "string" ? shown(message) : null,
      code: typeof code === "string" ? code : null,
      param: typeof param === "string" ? shown(param) : null,
    };
  } catch {
    return { message: null, code: null, param: null };
  }
}

/** Upstream text as it may be shown: bounded, and without anything that looks like a key or an address. */
function shown(text: string): string {
  return text
    .slice(0, MAX_SHOWN_TEXT)
    .replaceAll(/\b(?:sk|key|pk|api)-[A-Za-z0-9_-]{4,}/g, "[removed]")
    .replaceAll(/https?:\/\/[^\s"')]+/g, "[removed]");
}

function readRetryAfter(headers: UpstreamHeaders): number | null {
  const milliseconds = Number(headers["retry-after-ms"]);
  const seconds = Number(headers["retry-after"]);
  const wait = Number.isFinite(milliseconds) && milliseconds > 0 ? milliseconds : seconds * 1_000;
  return Number.isFinite(wait) && wait > 0 && wait <= MAX_RETRY_AFTER_MS ? wait : null;
}
