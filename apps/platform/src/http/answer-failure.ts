import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { toManagementErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { isManagementReason } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";

/** Converts any thrown error to a public failure. */
export function toFailure(error: unknown, onUnexpected: (error: unknown) => void): Failure {
  if (error instanceof Failure && isManagementReason(error.code)) return error;
  const framework = fromFramework(error);
  if (framework !== null) return framework;
  if (isDatabaseUnavailable(error)) {
    return new Failure("DB_TIMEOUT", "The database did not respond in time. Try again.", {
      retryAfterMs: 1_000,
    });
  }
  onUnexpected(error);
  return new Failure("UNEXPECTED", "An internal error occurred. Include the request ID when you report it.");
}

/** Returns the response headers of a failure, such as Retry-After. */
export function failureHeaders(failure: Failure): Readonly<Record<string, string>> {
  const { headers, retryAfterMs } = failure.facts;
  return {
    ...headers,
    ...(failure.status === 401 && { "www-authenticate": "Bearer" }),
    ...(retryAfterMs !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }),
  };
}

function fromFramework(error: unknown): Failure | null {
  const { code } = error as { code?: string };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new Failure("BODY_TOO_LARGE", "The request body is too large for this operation.");
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new Failure("WRONG_MEDIA_TYPE", "Send the body as application/json.");
  }
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return new Failure("UNKNOWN_PATH", "Unknown path.");
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH" || code === "FST_ERR_BAD_URL") {
    return new Failure("INVALID_FIELD", "The request is malformed.");
  }
  return null;
}

/** Refuses a request because this process is shutting down. */
export function refuseLeaving(response: ServerResponse, docsUrl: string): void {
  refuse(response, docsUrl, "This instance is shutting down. Retry the request.");
}

/** Refuses a request because this process is at capacity. */
export function refuseBusy(response: ServerResponse, docsUrl: string): void {
  refuse(response, docsUrl, "This instance is at capacity. Try again shortly.");
}

function refuse(response: ServerResponse, docsUrl: string, message: string): void {
  const failure = new Failure("UNAVAILABLE", message, { retryAfterMs: 1_000 });
  const requestId = randomUUID();
  const body = writeAnswer({}, toManagementErrorBody(failure, { requestId, docsUrl }));
  response.writeHead(failure.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-request-id": requestId,
    ...failureHeaders(failure),
  });
  response.end(body);
}
