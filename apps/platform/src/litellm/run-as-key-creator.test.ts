import { toErrorBody, toManagementErrorBody } from "@tollgate/contracts/error-bodies.ts";
import type { ManagementReason } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { expect, test } from "vitest";
import { asFailure, type OwnerContext, requirePermissionIn } from "./run-as-key-creator.ts";

/** Status and code of every platform failure on LiteLLM's paths. Codes that both interfaces publish stay the same. */
const translated: Readonly<Record<Exclude<ManagementReason, "TEAM_BLOCKED" | "DB_TIMEOUT">, string>> = {
  NOT_SIGNED_IN: "500 internal_error",
  TOKEN_EXPIRED: "500 internal_error",
  SESSION_REVOKED: "500 internal_error",
  BAD_CREDENTIALS: "500 internal_error",
  TOTP_REQUIRED: "500 internal_error",
  INVALID_API_KEY: "500 internal_error",
  BAD_SIGNATURE: "400 invalid_request",
  ROLE_REQUIRED: "403 admin_only",
  ADMIN_REQUIRED: "403 admin_only",
  ACCOUNT_DISABLED: "403 admin_only",
  EMAIL_UNVERIFIED: "403 admin_only",
  NO_ACTIVE_ORGANIZATION: "403 admin_only",
  SIGN_UP_CLOSED: "403 admin_only",
  REAUTHENTICATION_REQUIRED: "403 admin_only",
  TOTP_ENROLLMENT_REQUIRED: "403 admin_only",
  PAIRING_DENIED: "403 admin_only",
  CROSS_ORIGIN: "403 admin_only",
  MODEL_NOT_ALLOWED: "403 admin_only",
  MODEL_RATE_LIMITED: "429 rate_limit_exceeded",
  RATE_LIMITED: "429 rate_limit_exceeded",
  LOGIN_LOCKED: "429 rate_limit_exceeded",
  INVALID_FIELD: "400 invalid_request",
  INVALID_JSON: "400 invalid_request",
  AMOUNT_NOT_EXACT: "400 invalid_request",
  IDEMPOTENCY_KEY_REQUIRED: "400 invalid_request",
  MASKED_KEY: "400 invalid_request",
  WEAK_PASSWORD: "400 invalid_request",
  TARGET_REFUSED: "400 invalid_request",
  EMAIL_TAKEN: "409 conflict",
  NAME_TAKEN: "409 conflict",
  ALREADY_MEMBER: "409 conflict",
  LAST_OWNER: "409 conflict",
  LAST_ADMIN: "409 conflict",
  SELF: "409 conflict",
  KEY_REVOKED: "409 conflict",
  MODEL_EXISTS: "409 conflict",
  PROVIDER_EXISTS: "409 conflict",
  IN_USE: "409 conflict",
  LIMIT_REACHED: "409 conflict",
  PAIRING_EXPIRED: "409 conflict",
  WRONG_STATE: "409 conflict",
  NEGATIVE_BALANCE: "409 conflict",
  IDEMPOTENCY_KEY_REUSED: "409 conflict",
  IDEMPOTENCY_IN_PROGRESS: "409 conflict",
  BODY_TOO_LARGE: "500 internal_error",
  WRONG_MEDIA_TYPE: "500 internal_error",
  UNKNOWN_PATH: "404 not_found",
  UNKNOWN_OBJECT: "404 not_found",
  MODEL_NOT_FOUND: "404 not_found",
  WRONG_METHOD: "500 internal_error",
  OUT_OF_CREDIT: "500 internal_error",
  UNEXPECTED: "500 internal_error",
  UPSTREAM_FAILED: "500 internal_error",
  UNAVAILABLE: "503 service_unavailable",
  UPSTREAM_TIMEOUT: "500 internal_error",
};

const place = { requestId: "r", docsUrl: "/docs" };

test("LiteLLM's paths send every platform failure with the same status, code, and message", () => {
  for (const [reason, expected] of Object.entries(translated)) {
    const failure = asFailure(new Failure(reason as ManagementReason, "A sentence."));
    if (!(failure instanceof Failure)) throw new Error(`${reason} is not translated`);
    const { message, param, code } = toErrorBody(failure, "semantic", place).error;
    expect([`${failure.status} ${code}`, message, param]).toEqual([expected, "A sentence.", null]);
  }
});

test("LiteLLM's paths name the first invalid field as the parameter", () => {
  const failure = new Failure("INVALID_FIELD", "No.", { publicDetails: { fields: { one: "x", other: "y" } } });
  expect(asFailure(failure)).toMatchObject({ code: "invalid_request", facts: { param: "one" } });
});

test("LiteLLM's paths check the same permissions as the management API, and give the same advice", () => {
  const context = {
    member: { organizationId: "org_1", userId: 1, role: "member", teams: {} },
  } as unknown as OwnerContext;
  const refused = (): unknown => {
    try {
      return requirePermissionIn(context, "create_team", "org_1");
    } catch (error) {
      return error;
    }
  };
  const failure = refused() as Failure;
  const only = "Only admins and owners of the organization can do this.";
  const fix = "Ask one of them, or ask an owner for a higher role.";
  expect(toManagementErrorBody(failure, place)).toMatchObject({
    error: only,
    code: "FORBIDDEN",
    details: { reason: "ROLE_REQUIRED" },
    fix,
  });
  expect(toErrorBody(asFailure(failure) as Failure, "semantic", place).error).toMatchObject({
    message: only,
    type: "permission_error",
    code: "admin_only",
    fix,
  });
});

test("values that the database cannot store are invalid requests, and other errors stay as they are", () => {
  expect(asFailure({ code: "22021" })).toMatchObject({ code: "invalid_request" });
  const bug = new Error("bug");
  expect(asFailure(bug)).toBe(bug);
});
