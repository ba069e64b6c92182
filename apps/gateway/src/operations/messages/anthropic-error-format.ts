import { type ErrorContext, explanationOf, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
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
  failureBody: (failure, context) => JSON.stringify(errorOf(failure, context)),
  failureFrames: (failure, context) => `event: error\ndata: ${toJsonBytes(errorOf(failure, context))}\n\n`,
  callIdHeader: "request-id",
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
};

/**
 * Returns the error object. Data for handling the failure is under `details`, where the API allows additional fields.
 */
function errorOf(failure: Failure, context: ErrorContext): object {
  const { code, param } = toErrorBody(failure, "semantic", context).error;
  const { limit, ...explanation } = explanationOf(failure, context);
  const details = {
    error_code: code,
    ...(param !== null && { param }),
    ...(failure instanceof ValidationFailure && { problems: failure.problems }),
    ...(limit !== undefined && { limit }),
  };
  return {
    type: "error",
    error: { type: typeOf(failure), message: failure.message, details, ...explanation },
    request_id: context.requestId,
  };
}

function typeOf(failure: Failure): string {
  const { status, type } = gatewayKindOf(failure.code);
  // Insufficient credit and rate limits share a status code, but retrying later helps only with rate limits.
  if (type === "insufficient_quota") return "billing_error";
  return typesByStatus[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}
