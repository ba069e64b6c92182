import type { Problem } from "./validation/list-problems.ts";

interface FailureKind {
  readonly status: number;
  /** The error type that clients use to distinguish errors. */
  readonly type:
    | "invalid_request_error"
    | "authentication_error"
    | "permission_error"
    | "timeout_error"
    | "rate_limit_error"
    | "insufficient_quota"
    | "server_error";
  /** Error class name as published in the API. Sent in `x-gw-error-name`. */
  readonly name: string;
  readonly retryable: boolean;
  readonly meaning: string;
}

const badRequest = { status: 400, type: "invalid_request_error", name: "BadRequestError", retryable: false } as const;
const unauthenticated = {
  status: 401,
  type: "authentication_error",
  name: "AuthenticationError",
  retryable: false,
} as const;
const forbidden = { status: 403, type: "permission_error", name: "PermissionDeniedError", retryable: false } as const;
const absent = { status: 404, type: "invalid_request_error", name: "NotFoundError", retryable: false } as const;
const timedOut = { status: 408, type: "timeout_error", name: "Timeout", retryable: true } as const;
const limited = { status: 429, type: "rate_limit_error", name: "RateLimitError", retryable: true } as const;
const outOfMoney = { status: 429, type: "insufficient_quota", name: "BudgetExceededError", retryable: false } as const;
const unavailable = { status: 503, type: "server_error", name: "ServiceUnavailableError", retryable: true } as const;

/** All gateway errors. The published error reference is generated from this table. */
export const failures = {
  content_policy_violation: {
    ...badRequest,
    name: "ContentPolicyViolationError",
    meaning: "The provider refused the request for policy reasons.",
  },
  content_filter: {
    ...badRequest,
    name: "ContentPolicyViolationError",
    meaning: "The provider's content filter blocked the request.",
  },
  context_length_exceeded: {
    ...badRequest,
    name: "ContextWindowExceededError",
    meaning: "The prompt does not fit in the model's context window.",
  },
  unsupported_parameter: {
    ...badRequest,
    name: "UnsupportedParamsError",
    meaning: "The model does not support a request parameter.",
  },
  guardrail_blocked: { ...badRequest, name: "RejectedRequestError", meaning: "A guardrail refused the request." },
  invalid_request: { ...badRequest, meaning: "The request is well-formed but cannot be processed." },
  invalid_json: { ...badRequest, meaning: "The body is not a JSON object, or it exceeds the depth or size limit." },
  client_side_credentials_not_allowed: {
    ...badRequest,
    meaning: "The body sets a URL, credential, or price, which only the operator can set.",
  },
  previous_response_not_found: {
    ...badRequest,
    meaning: "The previous response does not exist, was not stored, has expired, or is not accessible with this key.",
  },
  unsupported_tool: { ...badRequest, meaning: "Tools of this type are not supported." },
  missing_api_key: { ...unauthenticated, meaning: "No API key was sent." },
  invalid_api_key: { ...unauthenticated, meaning: "The API key is malformed, unknown, or revoked." },
  expired_key: { ...unauthenticated, meaning: "The API key has expired." },
  key_blocked: { ...unauthenticated, meaning: "The API key is disabled." },
  wrong_auth_header: {
    ...unauthenticated,
    meaning: "The API key was sent in a header that this listener does not accept.",
  },
  key_model_access_denied: { ...forbidden, meaning: "The API key cannot use this model." },
  team_model_access_denied: { ...forbidden, meaning: "The API key's team cannot use this model." },
  user_model_access_denied: { ...forbidden, meaning: "The API key's user cannot use this model." },
  org_model_access_denied: { ...forbidden, meaning: "The API key's organization cannot use this model." },
  route_not_allowed: { ...forbidden, meaning: "The API key cannot use this operation." },
  TEAM_BLOCKED: {
    ...forbidden,
    meaning: "The team is blocked, either by a negative balance (buy credit to unblock it) or by an administrator.",
  },
  tag_not_allowed: { ...forbidden, meaning: "No deployment of the model has the requested tags." },
  not_team_member: { ...forbidden, meaning: "The caller is not a member of the team in the request." },
  admin_only: { ...forbidden, meaning: "The operation requires an administrator." },
  model_not_found: { ...absent, meaning: "The model does not exist, or the caller has no access to it." },
  not_found: { ...absent, meaning: "The path or the object does not exist." },
  method_not_allowed: { ...badRequest, status: 405, meaning: "The path does not support this method." },
  request_too_large: { ...badRequest, status: 413, meaning: "The body is larger than the limit." },
  unsupported_media_type: {
    ...badRequest,
    status: 415,
    meaning: "The body's media type or encoding is not supported.",
  },
  misdirected_request: {
    ...badRequest,
    status: 421,
    meaning: "This instance does not serve the host in the Host header.",
  },
  headers_too_large: { ...badRequest, status: 431, meaning: "The request headers exceed the size limit." },
  loop_detected: {
    ...badRequest,
    status: 508,
    meaning: "The request returned to this gateway through one of its own deployments.",
  },
  timeout: { ...timedOut, meaning: "A timeout expired before the response was complete." },
  stream_timeout: { ...timedOut, meaning: "The stream was idle for longer than its timeout." },
  conflict: {
    status: 409,
    type: "invalid_request_error",
    name: "ConflictError",
    retryable: false,
    meaning: "The record was changed concurrently, or the Idempotency-Key was already used with a different body.",
  },
  idempotency_outcome_unknown: {
    status: 409,
    type: "invalid_request_error",
    name: "ConflictError",
    retryable: false,
    meaning:
      "The outcome of the first request with this Idempotency-Key is unknown. The request may have been charged.",
  },
  validation_error: {
    status: 422,
    type: "invalid_request_error",
    name: "UnprocessableEntityError",
    retryable: false,
    meaning: "Request fields are missing or invalid. The response lists all of them.",
  },
  unprocessable_entity: {
    status: 422,
    type: "invalid_request_error",
    name: "UnprocessableEntityError",
    retryable: false,
    meaning: "The provider could not process the request.",
  },
  rate_limit_exceeded: { ...limited, meaning: "A gateway rate limit was reached." },
  no_deployments_available: {
    ...limited,
    meaning: "Every deployment of the model is in cooldown or at its rate limit.",
  },
  upstream_rate_limit: { ...limited, meaning: "The provider's rate limit was reached." },
  budget_exceeded: { ...outOfMoney, meaning: "A budget is exhausted." },
  QUOTA_EXCEEDED: { ...outOfMoney, meaning: "The organization does not have enough credit for this request." },
  json_schema_validation_failed: {
    status: 500,
    type: "server_error",
    name: "JSONSchemaValidationError",
    retryable: true,
    meaning: "The response does not match the requested schema.",
  },
  internal_error: {
    status: 500,
    type: "server_error",
    name: "InternalServerError",
    retryable: true,
    meaning: "An internal error occurred in the gateway or at the provider.",
  },
  bad_gateway: {
    status: 502,
    type: "server_error",
    name: "BadGatewayError",
    retryable: true,
    meaning: "The provider returned an invalid response.",
  },
  upstream_unreachable: {
    status: 503,
    type: "server_error",
    name: "APIConnectionError",
    retryable: true,
    meaning: "The provider could not be reached.",
  },
  service_unavailable: { ...unavailable, meaning: "The provider or a component of this service is unavailable." },
  token_counting_disabled: {
    ...unavailable,
    retryable: false,
    meaning: "The provider does not count tokens, and local counting is disabled.",
  },
  shutting_down: {
    ...unavailable,
    meaning: "This instance is shutting down. Another instance can handle the request.",
  },
  overloaded: { ...unavailable, meaning: "This instance is at capacity." },
  DB_TIMEOUT: { ...unavailable, meaning: "The database did not respond in time." },
  accounting_unavailable: { ...unavailable, meaning: "Usage cannot be recorded, so the request was not sent." },
  assistants_unavailable: {
    ...unavailable,
    retryable: false,
    meaning: "Assistants are not configured on this instance. They require a database and TOLLGATE_SECRET_KEY.",
  },
  responses_unavailable: {
    ...unavailable,
    retryable: false,
    meaning: "Response storage is not configured on this instance. It requires a database and TOLLGATE_SECRET_KEY.",
  },
  price_missing: { ...unavailable, retryable: false, meaning: "No price is configured for the model." },
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof failures;

/** The limit behind a refusal: its owner, how much of it is used, and when it resets. */
export interface LimitFacts {
  readonly kind: "requests" | "tokens" | "max_parallel_requests" | "budget" | "credit";
  readonly ownerType: "key" | "team" | "user" | "organization";
  readonly ownerName: string;
  /** Current usage, as a count or as USD with nine decimal places. */
  readonly current: number | string;
  readonly maximum: number | string;
  /** Amount that the refused call would have needed, if known. */
  readonly required?: string;
  /** Reset time as ISO 8601 in UTC; null if the limit doesn't reset automatically. */
  readonly resetsAt: string | null;
}

/** Additional data about a failure. */
export interface FailureFacts {
  /** The invalid request field. */
  readonly param?: string;
  readonly retryAfterMs?: number;
  readonly limit?: LimitFacts;
  /** Suggested fix for the caller, as a sentence. */
  readonly fix?: string;
  /** URL of the documentation. */
  readonly docUrl?: string;
  /** The exceeded rate limit, as named in the headers. */
  readonly rateLimit?: { readonly type: string; readonly scope: string };
  /** Structured data from the provider, sent to the caller. */
  readonly providerFields?: Record<string, unknown>;
  /** Details for the log, which are never sent to the caller. */
  readonly detail?: Record<string, unknown>;
  readonly cause?: unknown;
}

/**
 * A failure that the caller caused or may see. Its message is sent to the caller, so it must not contain secrets, host
 * names, or upstream text from server errors.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly facts: FailureFacts;

  constructor(code: FailureCode, message: string, facts: FailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = "Failure";
    this.code = code;
    this.facts = facts;
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** A request that failed schema validation, with every problem found. */
export class ValidationFailure extends Failure {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const first = problems[0];
    super(
      "validation_error",
      problems.map((problem) => `${problem.loc.join(".")}: ${problem.msg}`).join("; "),
      // If the body as a whole is invalid, no single field is at fault.
      first === undefined || first.loc.length < 2 ? {} : { param: first.loc.slice(1).join(".") },
    );
    this.problems = problems;
  }
}
