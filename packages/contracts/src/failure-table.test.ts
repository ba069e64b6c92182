import { expect, test } from "vitest";
import { toErrorBody } from "./error-bodies.ts";
import { failures, type GatewayCode, gatewayCodes, type ManagementReason, managementReasons } from "./failure-table.ts";
import { Failure } from "./failures.ts";

/** Every code of the gateway's paths with its status, type, class name, and whether a client retries it. */
const publishedCodes: Readonly<Record<GatewayCode, string>> = {
  content_policy_violation: "400 invalid_request_error ContentPolicyViolationError",
  content_filter: "400 invalid_request_error ContentPolicyViolationError",
  context_length_exceeded: "400 invalid_request_error ContextWindowExceededError",
  unsupported_parameter: "400 invalid_request_error UnsupportedParamsError",
  guardrail_blocked: "400 invalid_request_error RejectedRequestError",
  invalid_request: "400 invalid_request_error BadRequestError",
  client_side_credentials_not_allowed: "400 invalid_request_error BadRequestError",
  previous_response_not_found: "400 invalid_request_error BadRequestError",
  unsupported_tool: "400 invalid_request_error BadRequestError",
  missing_api_key: "401 authentication_error AuthenticationError",
  invalid_api_key: "401 authentication_error AuthenticationError",
  expired_key: "401 authentication_error AuthenticationError",
  key_blocked: "401 authentication_error AuthenticationError",
  wrong_auth_header: "401 authentication_error AuthenticationError",
  key_model_access_denied: "403 permission_error PermissionDeniedError",
  team_model_access_denied: "403 permission_error PermissionDeniedError",
  user_model_access_denied: "403 permission_error PermissionDeniedError",
  org_model_access_denied: "403 permission_error PermissionDeniedError",
  route_not_allowed: "403 permission_error PermissionDeniedError",
  TEAM_BLOCKED: "403 permission_error PermissionDeniedError",
  tag_not_allowed: "403 permission_error PermissionDeniedError",
  not_team_member: "403 permission_error PermissionDeniedError",
  admin_only: "403 permission_error PermissionDeniedError",
  model_not_found: "404 invalid_request_error NotFoundError",
  not_found: "404 invalid_request_error NotFoundError",
  method_not_allowed: "405 invalid_request_error BadRequestError",
  request_too_large: "413 invalid_request_error BadRequestError",
  unsupported_media_type: "415 invalid_request_error BadRequestError",
  misdirected_request: "421 invalid_request_error BadRequestError",
  headers_too_large: "431 invalid_request_error BadRequestError",
  loop_detected: "508 invalid_request_error BadRequestError",
  timeout: "408 timeout_error Timeout retry",
  stream_timeout: "408 timeout_error Timeout retry",
  conflict: "409 invalid_request_error ConflictError",
  idempotency_outcome_unknown: "409 invalid_request_error ConflictError",
  validation_error: "422 invalid_request_error UnprocessableEntityError",
  unprocessable_entity: "422 invalid_request_error UnprocessableEntityError",
  rate_limit_exceeded: "429 rate_limit_error RateLimitError retry",
  no_deployments_available: "429 rate_limit_error RateLimitError retry",
  upstream_rate_limit: "429 rate_limit_error RateLimitError retry",
  budget_exceeded: "429 insufficient_quota BudgetExceededError",
  QUOTA_EXCEEDED: "429 insufficient_quota BudgetExceededError",
  storage_limit_exceeded: "429 insufficient_quota RateLimitError",
  json_schema_validation_failed: "500 server_error JSONSchemaValidationError retry",
  internal_error: "500 server_error InternalServerError retry",
  bad_gateway: "502 server_error BadGatewayError retry",
  upstream_unreachable: "503 server_error APIConnectionError retry",
  service_unavailable: "503 server_error ServiceUnavailableError retry",
  credentials_unavailable: "503 server_error ServiceUnavailableError retry",
  token_counting_disabled: "503 server_error ServiceUnavailableError",
  shutting_down: "503 server_error ServiceUnavailableError retry",
  overloaded: "503 server_error ServiceUnavailableError retry",
  DB_TIMEOUT: "503 server_error ServiceUnavailableError retry",
  accounting_unavailable: "503 server_error ServiceUnavailableError retry",
  assistants_unavailable: "503 server_error ServiceUnavailableError",
  responses_unavailable: "503 server_error ServiceUnavailableError",
  price_missing: "503 server_error ServiceUnavailableError",
};

/** Every reason of the management API with its status and code. */
const publishedReasons: Readonly<Record<ManagementReason, string>> = {
  NOT_SIGNED_IN: "401 UNAUTHORIZED",
  TOKEN_EXPIRED: "401 UNAUTHORIZED",
  SESSION_REVOKED: "401 UNAUTHORIZED",
  BAD_CREDENTIALS: "401 UNAUTHORIZED",
  TOTP_REQUIRED: "401 UNAUTHORIZED",
  INVALID_API_KEY: "401 UNAUTHORIZED",
  BAD_SIGNATURE: "400 VALIDATION_ERROR",
  ROLE_REQUIRED: "403 FORBIDDEN",
  ADMIN_REQUIRED: "403 FORBIDDEN",
  ACCOUNT_DISABLED: "403 FORBIDDEN",
  EMAIL_UNVERIFIED: "403 FORBIDDEN",
  NO_ACTIVE_ORGANIZATION: "403 FORBIDDEN",
  SIGN_UP_CLOSED: "403 FORBIDDEN",
  REAUTHENTICATION_REQUIRED: "403 FORBIDDEN",
  TOTP_ENROLLMENT_REQUIRED: "403 FORBIDDEN",
  PAIRING_DENIED: "403 FORBIDDEN",
  CROSS_ORIGIN: "403 FORBIDDEN",
  MODEL_NOT_ALLOWED: "403 FORBIDDEN",
  RATE_LIMITED: "429 FORBIDDEN",
  MODEL_RATE_LIMITED: "429 FORBIDDEN",
  LOGIN_LOCKED: "429 FORBIDDEN",
  INVALID_FIELD: "400 VALIDATION_ERROR",
  INVALID_JSON: "400 VALIDATION_ERROR",
  AMOUNT_NOT_EXACT: "400 VALIDATION_ERROR",
  IDEMPOTENCY_KEY_REQUIRED: "400 VALIDATION_ERROR",
  MASKED_KEY: "400 VALIDATION_ERROR",
  WEAK_PASSWORD: "400 VALIDATION_ERROR",
  TARGET_REFUSED: "400 VALIDATION_ERROR",
  EMAIL_TAKEN: "409 VALIDATION_ERROR",
  NAME_TAKEN: "409 VALIDATION_ERROR",
  ALREADY_MEMBER: "409 VALIDATION_ERROR",
  LAST_OWNER: "409 VALIDATION_ERROR",
  LAST_ADMIN: "409 VALIDATION_ERROR",
  SELF: "409 VALIDATION_ERROR",
  KEY_REVOKED: "409 VALIDATION_ERROR",
  MODEL_EXISTS: "409 VALIDATION_ERROR",
  PROVIDER_EXISTS: "409 VALIDATION_ERROR",
  IN_USE: "409 VALIDATION_ERROR",
  LIMIT_REACHED: "409 VALIDATION_ERROR",
  PAIRING_EXPIRED: "409 VALIDATION_ERROR",
  WRONG_STATE: "409 VALIDATION_ERROR",
  NEGATIVE_BALANCE: "409 VALIDATION_ERROR",
  IDEMPOTENCY_KEY_REUSED: "409 VALIDATION_ERROR",
  IDEMPOTENCY_IN_PROGRESS: "409 VALIDATION_ERROR",
  BODY_TOO_LARGE: "413 VALIDATION_ERROR",
  WRONG_MEDIA_TYPE: "415 VALIDATION_ERROR",
  UNKNOWN_PATH: "404 NOT_FOUND",
  UNKNOWN_OBJECT: "404 NOT_FOUND",
  MODEL_NOT_FOUND: "404 NOT_FOUND",
  WRONG_METHOD: "405 NOT_FOUND",
  OUT_OF_CREDIT: "402 QUOTA_EXCEEDED",
  TEAM_BLOCKED: "403 TEAM_BLOCKED",
  UNEXPECTED: "500 SERVER_ERROR",
  UPSTREAM_FAILED: "502 SERVER_ERROR",
  UNAVAILABLE: "503 SERVER_ERROR",
  UPSTREAM_TIMEOUT: "504 SERVER_ERROR",
  DB_TIMEOUT: "503 DB_TIMEOUT",
};

test("clients of the gateway can rely on every code's status, type, class, and retry advice", () => {
  const table = gatewayCodes.map((code) => {
    const { status, type, name, retryable } = failures[code];
    return [code, `${status} ${type} ${name}${retryable ? " retry" : ""}`];
  });
  expect(Object.fromEntries(table)).toEqual(publishedCodes);
  for (const code of gatewayCodes) {
    const [status, type] = publishedCodes[code].split(" ");
    const failure = new Failure(code, "A sentence.");
    const context = { requestId: "r", docsUrl: "/docs" };
    const expected = (shown: string | undefined) =>
      `{"error":{"message":"A sentence.","type":"${type}","param":null,"code":"${shown}","doc_url":"/docs/errors/codes/${code}","request_id":"r"}}`;
    expect(failure.status).toBe(Number(status));
    expect(JSON.stringify(toErrorBody(failure, "semantic", context))).toBe(expected(code));
    expect(JSON.stringify(toErrorBody(failure, "status", context))).toBe(expected(status));
  }
});

test("clients of the management API can rely on every reason's status and code", () => {
  const table = managementReasons.map((reason) => [
    reason,
    `${failures[reason].status} ${failures[reason].management}`,
  ]);
  expect(Object.fromEntries(table)).toEqual(publishedReasons);
});
