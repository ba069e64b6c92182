/** How the OpenAI-compatible interfaces publish a failure: inference and LiteLLM-compatible paths. */
interface GatewayFormat {
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
}

/** How the management API publishes a failure, with its code in the table as the reason. */
interface ManagementFormat {
  readonly management: ManagementCode;
}

/** Error codes of the management API. The list is fixed, and the reason is more specific. */
type ManagementCode =
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "VALIDATION_ERROR"
  | "NOT_FOUND"
  | "QUOTA_EXCEEDED"
  | "TEAM_BLOCKED"
  | "SERVER_ERROR"
  | "DB_TIMEOUT";

interface Kind {
  readonly status: number;
  readonly meaning: string;
}

/** One failure. Each interface that publishes it has its own columns. */
type FailureKind = Kind & (GatewayFormat | ManagementFormat);

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

const unauthorized = { status: 401, management: "UNAUTHORIZED" } as const;
const refused = { status: 403, management: "FORBIDDEN" } as const;
const throttled = { status: 429, management: "FORBIDDEN" } as const;
const invalid = { status: 400, management: "VALIDATION_ERROR" } as const;
const conflicting = { status: 409, management: "VALIDATION_ERROR" } as const;
const missing = { status: 404, management: "NOT_FOUND" } as const;

/** Every failure that a caller can see. The published error references are generated from this table. */
export const failures = {
  // The gateway: inference and LiteLLM-compatible paths.
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
  storage_limit_exceeded: {
    ...limited,
    type: "insufficient_quota",
    retryable: false,
    meaning: "The key or its organization stores as much as its limit allows.",
  },
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
  credentials_unavailable: {
    ...unavailable,
    meaning: "The gateway could not get credentials for the model's provider.",
  },
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

  // The control plane. The gateway publishes some of these, too.
  NOT_SIGNED_IN: { ...unauthorized, meaning: "The request has no bearer token, or the token is invalid." },
  TOKEN_EXPIRED: { ...unauthorized, meaning: "The token has expired. Refresh it, or sign in again." },
  SESSION_REVOKED: { ...unauthorized, meaning: "The session has ended." },
  BAD_CREDENTIALS: { ...unauthorized, meaning: "The email address or password is wrong." },
  TOTP_REQUIRED: { ...unauthorized, meaning: "The account requires a one-time code." },
  INVALID_API_KEY: { ...unauthorized, meaning: "The API key in the body is malformed, unknown, expired, or disabled." },
  BAD_SIGNATURE: { ...invalid, meaning: "The webhook signature does not match." },
  ROLE_REQUIRED: { ...refused, meaning: "The caller's role does not allow this operation." },
  ADMIN_REQUIRED: { ...refused, meaning: "The operation requires a platform administrator." },
  ACCOUNT_DISABLED: { ...refused, meaning: "The account is disabled." },
  EMAIL_UNVERIFIED: { ...refused, meaning: "The email address has not been verified." },
  NO_ACTIVE_ORGANIZATION: { ...refused, meaning: "The caller has no active organization." },
  SIGN_UP_CLOSED: { ...refused, meaning: "Sign-up is closed or by invitation only." },
  REAUTHENTICATION_REQUIRED: { ...refused, meaning: "The operation requires a sign-in within the last 10 minutes." },
  TOTP_ENROLLMENT_REQUIRED: { ...refused, meaning: "The operation requires an account with one-time codes enabled." },
  PAIRING_DENIED: { ...refused, meaning: "The sign-in was denied in the browser." },
  CROSS_ORIGIN: { ...refused, meaning: "A cookie-authenticated change came from another site." },
  MODEL_NOT_ALLOWED: { ...refused, meaning: "The key cannot use this model." },
  RATE_LIMITED: { ...throttled, meaning: "Too many management requests. `Retry-After` says when to retry." },
  MODEL_RATE_LIMITED: {
    ...throttled,
    meaning: "A model request reached a rate limit of its key, team, or organization, or of the provider.",
  },
  LOGIN_LOCKED: {
    ...throttled,
    meaning: "Too many failed sign-ins. `Retry-After` says when to retry.",
  },
  INVALID_FIELD: { ...invalid, meaning: "Request fields are missing or invalid. `details.fields` lists each one." },
  INVALID_JSON: { ...invalid, meaning: "The body is not a JSON object, or it is nested too deeply." },
  AMOUNT_NOT_EXACT: { ...invalid, meaning: "An amount is not an integer in nano-USD that JSON can represent exactly." },
  IDEMPOTENCY_KEY_REQUIRED: { ...invalid, meaning: "The operation moves money and requires an Idempotency-Key." },
  MASKED_KEY: { ...invalid, meaning: "A masked key was sent. Send the key's ID or full secret." },
  WEAK_PASSWORD: { ...invalid, meaning: "The password is too short, too long, too common, or the user's own name." },
  TARGET_REFUSED: { ...invalid, meaning: "The server is not allowed to call this URL." },
  EMAIL_TAKEN: { ...conflicting, meaning: "An account with this email address already exists." },
  NAME_TAKEN: { ...conflicting, meaning: "The name is already taken." },
  ALREADY_MEMBER: { ...conflicting, meaning: "The user is already a member." },
  LAST_OWNER: { ...conflicting, meaning: "This is the organization's last owner." },
  LAST_ADMIN: { ...conflicting, meaning: "This is the last administrator." },
  SELF: { ...conflicting, meaning: "The operation is not available for your own account." },
  KEY_REVOKED: { ...conflicting, meaning: "The key has been permanently revoked." },
  MODEL_EXISTS: { ...conflicting, meaning: "A model with this ID already exists." },
  PROVIDER_EXISTS: { ...conflicting, meaning: "A provider with this slug already exists." },
  IN_USE: { ...conflicting, meaning: "Other objects still depend on this object." },
  LIMIT_REACHED: { ...conflicting, meaning: "The maximum number of items or the daily amount limit has been reached." },
  PAIRING_EXPIRED: { ...conflicting, meaning: "The code was not confirmed in time. Request a new one." },
  WRONG_STATE: { ...conflicting, meaning: "The object's state does not allow this operation." },
  NEGATIVE_BALANCE: { ...conflicting, meaning: "The team is blocked because the balance is below zero." },
  IDEMPOTENCY_KEY_REUSED: { ...conflicting, meaning: "The Idempotency-Key was already used for a different request." },
  IDEMPOTENCY_IN_PROGRESS: {
    ...conflicting,
    meaning: "The first request with this Idempotency-Key is still in progress.",
  },
  BODY_TOO_LARGE: { management: "VALIDATION_ERROR", status: 413, meaning: "The body exceeds the size limit." },
  WRONG_MEDIA_TYPE: { management: "VALIDATION_ERROR", status: 415, meaning: "The body must be application/json." },
  UNKNOWN_PATH: { ...missing, meaning: "Unknown path." },
  UNKNOWN_OBJECT: { ...missing, meaning: "No object with this ID exists, or the caller has no access to it." },
  MODEL_NOT_FOUND: { ...missing, meaning: "The model does not exist." },
  WRONG_METHOD: { management: "NOT_FOUND", status: 405, meaning: "The path does not support this method." },
  OUT_OF_CREDIT: {
    management: "QUOTA_EXCEEDED",
    status: 402,
    meaning: "The organization has no credit left, or a budget is exhausted.",
  },
  TEAM_BLOCKED: {
    ...forbidden,
    management: "TEAM_BLOCKED",
    meaning: "The team is blocked, either by a negative balance (buy credit to unblock it) or by an administrator.",
  },
  UNEXPECTED: { management: "SERVER_ERROR", status: 500, meaning: "An internal error occurred in the platform." },
  UPSTREAM_FAILED: { management: "SERVER_ERROR", status: 502, meaning: "The model or the payment provider failed." },
  UNAVAILABLE: {
    management: "SERVER_ERROR",
    status: 503,
    meaning: "The platform or a service it depends on is unavailable.",
  },
  UPSTREAM_TIMEOUT: { management: "SERVER_ERROR", status: 504, meaning: "The model did not respond in time." },
  DB_TIMEOUT: { ...unavailable, management: "DB_TIMEOUT", meaning: "The database did not respond in time." },
} as const satisfies Record<string, FailureKind>;

type Table = typeof failures;
type CodeWith<Format> = { [Code in keyof Table]: Table[Code] extends Format ? Code : never }[keyof Table];

/** A code that the OpenAI-compatible interfaces publish. */
export type GatewayCode = CodeWith<GatewayFormat>;

/** A code that the management API publishes as a reason. */
export type ManagementReason = CodeWith<ManagementFormat>;

export const gatewayCodes = Object.keys(failures).filter(isGatewayCode);
export const managementReasons = Object.keys(failures).filter(isManagementReason);

export function isGatewayCode(code: string): code is GatewayCode {
  return Object.hasOwn(failures, code) && "type" in failures[code as keyof Table];
}

export function isManagementReason(code: string): code is ManagementReason {
  return Object.hasOwn(failures, code) && "management" in failures[code as keyof Table];
}

/** Codes for failures that only the management API publishes, by status. */
const generalCodes: Readonly<Record<number, GatewayCode>> = {
  400: "invalid_request",
  403: "admin_only",
  404: "not_found",
  409: "conflict",
  429: "rate_limit_exceeded",
  503: "service_unavailable",
};

/** Returns the code under which the OpenAI-compatible interfaces send a failure. */
export function gatewayCodeOf(code: keyof Table): GatewayCode {
  return isGatewayCode(code) ? code : (generalCodes[failures[code].status] ?? "internal_error");
}

/** Returns the reason under which the management API sends a failure. */
export function managementReasonOf(code: keyof Table): ManagementReason {
  return isManagementReason(code) ? code : "UNEXPECTED";
}

/** Returns the row under which the OpenAI-compatible interfaces send a failure. */
export function gatewayKindOf(code: keyof Table): Kind & GatewayFormat {
  return failures[gatewayCodeOf(code)];
}
