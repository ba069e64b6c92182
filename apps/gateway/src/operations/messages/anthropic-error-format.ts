import { toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { gatewayKindOf } from "@tollgate/contracts/failure-table.ts";
import { type Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { ErrorFormat } from "../../call/operation-traits.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";

const typesByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** Failures in the format of the Anthropic Messages API. */
export const anthropicErrorFormat: ErrorFormat = {
  failureBody: (failure, callId) => JSON.stringify(errorOf(failure, callId)),
  failureFrames: (failure, callId) => `event: error\ndata: ${toJsonBytes(errorOf(failure, callId))}\n\n`,
  callIdHeader: "request-id",
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
};

/**
 * Returns the error object. Data for handling the failure is under `details`, where the API allows additional fields.
 */
function errorOf(failure: Failure, callId: string): object {
  const { code, param, limit, fix, doc_url: docUrl } = toErrorBody(failure, "semantic").error;
  const details = {
    error_code: code,
    ...(param !== null && { param }),
    ...(failure instanceof ValidationFailure && { problems: failure.problems }),
    ...(limit !== undefined && { limit }),
    ...(fix !== undefined && { fix }),
    ...(docUrl !== undefined && { doc_url: docUrl }),
  };
  return {
    type: "error",
    error: { type: typeOf(failure), message: failure.message, details },
    request_id: callId,
  };
}

function typeOf(failure: Failure): string {
  const { status, type } = gatewayKindOf(failure.code);
  // Insufficient credit and rate limits share a status code, but retrying later helps only with rate limits.
  if (type === "insufficient_quota") return "billing_error";
  return typesByStatus[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}
