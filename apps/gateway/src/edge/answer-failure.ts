import type { ServerResponse } from "node:http";
import { type ErrorCodeStyle, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { type Failure, failures } from "@tollgate/contracts/failures.ts";
import { VERSION } from "../version.ts";

/** What an error answer says besides the failure itself. */
export interface FailureContext {
  readonly callId: string;
  readonly codeStyle: ErrorCodeStyle;
  readonly modelId?: string | null;
  /** The body was not read to its end, so the connection cannot carry another request. */
  readonly mustClose: boolean;
  /** Seconds that were applied, on time-outs. */
  readonly timeoutSeconds?: number | null;
  readonly hasOrigin: boolean;
}

/** Turns a failure into the one error answer of the gateway. Does nothing when an answer has begun. */
export function answerFailure(response: ServerResponse, failure: Failure, context: FailureContext): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify(toErrorBody(failure, context.codeStyle, context.callId));
  response.writeHead(failure.status, failureHeaders(failure, context, Buffer.byteLength(body)));
  response.end(body);
}

/** The headers every error carries, and those its status adds. */
export function failureHeaders(failure: Failure, context: FailureContext, contentLength: number): string[] {
  const kind = failures[failure.code];
  const headers = [
    "content-type",
    "application/json",
    "content-length",
    String(contentLength),
    "x-gw-call-id",
    context.callId,
    "x-gw-error-name",
    kind.name,
    "x-gw-version",
    VERSION,
  ];
  if (context.modelId) headers.push("x-gw-model-id", context.modelId);
  if (context.mustClose) headers.push("connection", "close");
  if (context.hasOrigin) headers.push("access-control-allow-origin", "*");
  if (kind.status === 401) headers.push("www-authenticate", 'Bearer realm="gateway"');
  if (kind.status === 408 && context.timeoutSeconds != null)
    headers.push("x-gw-timeout", String(context.timeoutSeconds));
  if (kind.status === 429 || kind.status === 503) headers.push(...retryHeaders(failure));
  return headers;
}

function retryHeaders(failure: Failure): string[] {
  const kind = failures[failure.code];
  if (!kind.retryable) return ["x-should-retry", "false"];
  const { retryAfterMs, rateLimit, limit } = failure.facts;
  const waitMs = Math.max(1_000, retryAfterMs ?? 1_000);
  const headers = ["retry-after", String(Math.ceil(waitMs / 1_000)), "retry-after-ms", String(Math.ceil(waitMs))];
  if (rateLimit !== undefined) {
    headers.push("x-gw-rate-limit-type", rateLimit.type, "x-gw-rate-limit-scope", rateLimit.scope);
    if (limit?.resetsAt != null) headers.push("x-gw-rate-limit-reset", limit.resetsAt);
  }
  return headers;
}
