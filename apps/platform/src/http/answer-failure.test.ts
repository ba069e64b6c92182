import { toManagementErrorBody } from "@tollgate/contracts/error-bodies.ts";
import type { ManagementReason } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { expect, test } from "vitest";
import { failureHeaders, toFailure } from "./answer-failure.ts";

const context = { requestId: "r", docsUrl: "/docs" };

/** Status and body of every failure, as clients of the management API receive them. */
const rendered: Readonly<Record<ManagementReason, readonly [number, string]>> = {
  NOT_SIGNED_IN: [
    401,
    '{"error":"A sentence.","code":"UNAUTHORIZED","details":{"reason":"NOT_SIGNED_IN"},"docUrl":"/docs/errors/reasons/NOT_SIGNED_IN","requestId":"r"}',
  ],
  TOKEN_EXPIRED: [
    401,
    '{"error":"A sentence.","code":"UNAUTHORIZED","details":{"reason":"TOKEN_EXPIRED"},"docUrl":"/docs/errors/reasons/TOKEN_EXPIRED","requestId":"r"}',
  ],
  SESSION_REVOKED: [
    401,
    '{"error":"A sentence.","code":"UNAUTHORIZED","details":{"reason":"SESSION_REVOKED"},"docUrl":"/docs/errors/reasons/SESSION_REVOKED","requestId":"r"}',
  ],
  BAD_CREDENTIALS: [
    401,
    '{"error":"A sentence.","code":"UNAUTHORIZED","details":{"reason":"BAD_CREDENTIALS"},"docUrl":"/docs/errors/reasons/BAD_CREDENTIALS","requestId":"r"}',
  ],
  TOTP_REQUIRED: [
    401,
    '{"error":"A sentence.","code":"UNAUTHORIZED","details":{"reason":"TOTP_REQUIRED"},"docUrl":"/docs/errors/reasons/TOTP_REQUIRED","requestId":"r"}',
  ],
  INVALID_API_KEY: [
    401,
    '{"error":"A sentence.","code":"UNAUTHORIZED","details":{"reason":"INVALID_API_KEY"},"docUrl":"/docs/errors/reasons/INVALID_API_KEY","requestId":"r"}',
  ],
  BAD_SIGNATURE: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"BAD_SIGNATURE"},"docUrl":"/docs/errors/reasons/BAD_SIGNATURE","requestId":"r"}',
  ],
  ROLE_REQUIRED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"ROLE_REQUIRED"},"docUrl":"/docs/errors/reasons/ROLE_REQUIRED","requestId":"r"}',
  ],
  ADMIN_REQUIRED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"ADMIN_REQUIRED"},"docUrl":"/docs/errors/reasons/ADMIN_REQUIRED","requestId":"r"}',
  ],
  ACCOUNT_DISABLED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"ACCOUNT_DISABLED"},"docUrl":"/docs/errors/reasons/ACCOUNT_DISABLED","requestId":"r"}',
  ],
  EMAIL_UNVERIFIED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"EMAIL_UNVERIFIED"},"docUrl":"/docs/errors/reasons/EMAIL_UNVERIFIED","requestId":"r"}',
  ],
  NO_ACTIVE_ORGANIZATION: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"NO_ACTIVE_ORGANIZATION"},"docUrl":"/docs/errors/reasons/NO_ACTIVE_ORGANIZATION","requestId":"r"}',
  ],
  SIGN_UP_CLOSED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"SIGN_UP_CLOSED"},"docUrl":"/docs/errors/reasons/SIGN_UP_CLOSED","requestId":"r"}',
  ],
  REAUTHENTICATION_REQUIRED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"REAUTHENTICATION_REQUIRED"},"docUrl":"/docs/errors/reasons/REAUTHENTICATION_REQUIRED","requestId":"r"}',
  ],
  TOTP_ENROLLMENT_REQUIRED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"TOTP_ENROLLMENT_REQUIRED"},"docUrl":"/docs/errors/reasons/TOTP_ENROLLMENT_REQUIRED","requestId":"r"}',
  ],
  PAIRING_DENIED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"PAIRING_DENIED"},"docUrl":"/docs/errors/reasons/PAIRING_DENIED","requestId":"r"}',
  ],
  CROSS_ORIGIN: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"CROSS_ORIGIN"},"docUrl":"/docs/errors/reasons/CROSS_ORIGIN","requestId":"r"}',
  ],
  MODEL_NOT_ALLOWED: [
    403,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"MODEL_NOT_ALLOWED"},"docUrl":"/docs/errors/reasons/MODEL_NOT_ALLOWED","requestId":"r"}',
  ],
  MODEL_RATE_LIMITED: [
    429,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"MODEL_RATE_LIMITED"},"docUrl":"/docs/errors/reasons/MODEL_RATE_LIMITED","requestId":"r"}',
  ],
  RATE_LIMITED: [
    429,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"RATE_LIMITED"},"docUrl":"/docs/errors/reasons/RATE_LIMITED","requestId":"r"}',
  ],
  LOGIN_LOCKED: [
    429,
    '{"error":"A sentence.","code":"FORBIDDEN","details":{"reason":"LOGIN_LOCKED"},"docUrl":"/docs/errors/reasons/LOGIN_LOCKED","requestId":"r"}',
  ],
  INVALID_FIELD: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"INVALID_FIELD"},"docUrl":"/docs/errors/reasons/INVALID_FIELD","requestId":"r"}',
  ],
  INVALID_JSON: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"INVALID_JSON"},"docUrl":"/docs/errors/reasons/INVALID_JSON","requestId":"r"}',
  ],
  AMOUNT_NOT_EXACT: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"AMOUNT_NOT_EXACT"},"docUrl":"/docs/errors/reasons/AMOUNT_NOT_EXACT","requestId":"r"}',
  ],
  IDEMPOTENCY_KEY_REQUIRED: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"IDEMPOTENCY_KEY_REQUIRED"},"docUrl":"/docs/errors/reasons/IDEMPOTENCY_KEY_REQUIRED","requestId":"r"}',
  ],
  MASKED_KEY: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"MASKED_KEY"},"docUrl":"/docs/errors/reasons/MASKED_KEY","requestId":"r"}',
  ],
  WEAK_PASSWORD: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"WEAK_PASSWORD"},"docUrl":"/docs/errors/reasons/WEAK_PASSWORD","requestId":"r"}',
  ],
  TARGET_REFUSED: [
    400,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"TARGET_REFUSED"},"docUrl":"/docs/errors/reasons/TARGET_REFUSED","requestId":"r"}',
  ],
  EMAIL_TAKEN: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"EMAIL_TAKEN"},"docUrl":"/docs/errors/reasons/EMAIL_TAKEN","requestId":"r"}',
  ],
  NAME_TAKEN: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"NAME_TAKEN"},"docUrl":"/docs/errors/reasons/NAME_TAKEN","requestId":"r"}',
  ],
  ALREADY_MEMBER: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"ALREADY_MEMBER"},"docUrl":"/docs/errors/reasons/ALREADY_MEMBER","requestId":"r"}',
  ],
  LAST_OWNER: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"LAST_OWNER"},"docUrl":"/docs/errors/reasons/LAST_OWNER","requestId":"r"}',
  ],
  LAST_ADMIN: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"LAST_ADMIN"},"docUrl":"/docs/errors/reasons/LAST_ADMIN","requestId":"r"}',
  ],
  SELF: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"SELF"},"docUrl":"/docs/errors/reasons/SELF","requestId":"r"}',
  ],
  KEY_REVOKED: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"KEY_REVOKED"},"docUrl":"/docs/errors/reasons/KEY_REVOKED","requestId":"r"}',
  ],
  MODEL_EXISTS: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"MODEL_EXISTS"},"docUrl":"/docs/errors/reasons/MODEL_EXISTS","requestId":"r"}',
  ],
  PROVIDER_EXISTS: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"PROVIDER_EXISTS"},"docUrl":"/docs/errors/reasons/PROVIDER_EXISTS","requestId":"r"}',
  ],
  IN_USE: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"IN_USE"},"docUrl":"/docs/errors/reasons/IN_USE","requestId":"r"}',
  ],
  LIMIT_REACHED: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"LIMIT_REACHED"},"docUrl":"/docs/errors/reasons/LIMIT_REACHED","requestId":"r"}',
  ],
  PAIRING_EXPIRED: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"PAIRING_EXPIRED"},"docUrl":"/docs/errors/reasons/PAIRING_EXPIRED","requestId":"r"}',
  ],
  WRONG_STATE: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"WRONG_STATE"},"docUrl":"/docs/errors/reasons/WRONG_STATE","requestId":"r"}',
  ],
  NEGATIVE_BALANCE: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"NEGATIVE_BALANCE"},"docUrl":"/docs/errors/reasons/NEGATIVE_BALANCE","requestId":"r"}',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"IDEMPOTENCY_KEY_REUSED"},"docUrl":"/docs/errors/reasons/IDEMPOTENCY_KEY_REUSED","requestId":"r"}',
  ],
  IDEMPOTENCY_IN_PROGRESS: [
    409,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"IDEMPOTENCY_IN_PROGRESS"},"docUrl":"/docs/errors/reasons/IDEMPOTENCY_IN_PROGRESS","requestId":"r"}',
  ],
  BODY_TOO_LARGE: [
    413,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"BODY_TOO_LARGE"},"docUrl":"/docs/errors/reasons/BODY_TOO_LARGE","requestId":"r"}',
  ],
  WRONG_MEDIA_TYPE: [
    415,
    '{"error":"A sentence.","code":"VALIDATION_ERROR","details":{"reason":"WRONG_MEDIA_TYPE"},"docUrl":"/docs/errors/reasons/WRONG_MEDIA_TYPE","requestId":"r"}',
  ],
  UNKNOWN_PATH: [
    404,
    '{"error":"A sentence.","code":"NOT_FOUND","details":{"reason":"UNKNOWN_PATH"},"docUrl":"/docs/errors/reasons/UNKNOWN_PATH","requestId":"r"}',
  ],
  UNKNOWN_OBJECT: [
    404,
    '{"error":"A sentence.","code":"NOT_FOUND","details":{"reason":"UNKNOWN_OBJECT"},"docUrl":"/docs/errors/reasons/UNKNOWN_OBJECT","requestId":"r"}',
  ],
  MODEL_NOT_FOUND: [
    404,
    '{"error":"A sentence.","code":"NOT_FOUND","details":{"reason":"MODEL_NOT_FOUND"},"docUrl":"/docs/errors/reasons/MODEL_NOT_FOUND","requestId":"r"}',
  ],
  WRONG_METHOD: [
    405,
    '{"error":"A sentence.","code":"NOT_FOUND","details":{"reason":"WRONG_METHOD"},"docUrl":"/docs/errors/reasons/WRONG_METHOD","requestId":"r"}',
  ],
  OUT_OF_CREDIT: [
    402,
    '{"error":"A sentence.","code":"QUOTA_EXCEEDED","details":{"reason":"OUT_OF_CREDIT"},"docUrl":"/docs/errors/reasons/OUT_OF_CREDIT","requestId":"r"}',
  ],
  TEAM_BLOCKED: [
    403,
    '{"error":"A sentence.","code":"TEAM_BLOCKED","details":{"reason":"TEAM_BLOCKED"},"docUrl":"/docs/errors/reasons/TEAM_BLOCKED","requestId":"r"}',
  ],
  UNEXPECTED: [
    500,
    '{"error":"A sentence.","code":"SERVER_ERROR","details":{"reason":"UNEXPECTED"},"docUrl":"/docs/errors/reasons/UNEXPECTED","requestId":"r"}',
  ],
  UPSTREAM_FAILED: [
    502,
    '{"error":"A sentence.","code":"SERVER_ERROR","details":{"reason":"UPSTREAM_FAILED"},"docUrl":"/docs/errors/reasons/UPSTREAM_FAILED","requestId":"r"}',
  ],
  UNAVAILABLE: [
    503,
    '{"error":"A sentence.","code":"SERVER_ERROR","details":{"reason":"UNAVAILABLE"},"docUrl":"/docs/errors/reasons/UNAVAILABLE","requestId":"r"}',
  ],
  UPSTREAM_TIMEOUT: [
    504,
    '{"error":"A sentence.","code":"SERVER_ERROR","details":{"reason":"UPSTREAM_TIMEOUT"},"docUrl":"/docs/errors/reasons/UPSTREAM_TIMEOUT","requestId":"r"}',
  ],
  DB_TIMEOUT: [
    503,
    '{"error":"A sentence.","code":"DB_TIMEOUT","details":{"reason":"DB_TIMEOUT"},"docUrl":"/docs/errors/reasons/DB_TIMEOUT","requestId":"r"}',
  ],
};

test("every reason is sent with the same status and the same body", () => {
  for (const [reason, [status, body]] of Object.entries(rendered)) {
    const failure = new Failure(reason as ManagementReason, "A sentence.");
    expect(toFailure(failure, unexpected)).toBe(failure);
    expect([failure.status, JSON.stringify(toManagementErrorBody(failure, context))]).toEqual([status, body]);
    expect(failureHeaders(failure)).toEqual(status === 401 ? { "www-authenticate": "Bearer" } : {});
  }
});

test("a failure's own details follow its reason, and Retry-After is in whole seconds", () => {
  const failure = new Failure("RATE_LIMITED", "Wait.", {
    publicDetails: { limit: 3 },
    headers: { "x-limit": "3" },
    retryAfterMs: 1_200,
  });
  expect(JSON.stringify(toManagementErrorBody(failure, context))).toBe(
    '{"error":"Wait.","code":"FORBIDDEN","details":{"reason":"RATE_LIMITED","limit":3},"docUrl":"/docs/errors/reasons/RATE_LIMITED","requestId":"r"}',
  );
  expect(failureHeaders(failure)).toEqual({ "x-limit": "3", "retry-after": "2" });
});

test("an unknown error is reported and sent as an internal error", () => {
  const reported: unknown[] = [];
  const bug = new Error("secret");
  const failure = toFailure(bug, (error) => reported.push(error));
  expect(reported).toEqual([bug]);
  expect(JSON.stringify(toManagementErrorBody(failure, context))).toBe(
    '{"error":"An internal error occurred. Include the request ID when you report it.","code":"SERVER_ERROR",' +
      '"details":{"reason":"UNEXPECTED"},"docUrl":"/docs/errors/reasons/UNEXPECTED","requestId":"r"}',
  );
});

function unexpected(error: unknown): never {
  throw error;
}
