import { describe, expect, test } from "vitest";
import { ErrorResponse, HTTPValidationError, toErrorBody, toManagementErrorBody } from "./error-bodies.ts";
import { failures, gatewayCodes } from "./failure-table.ts";
import { Failure, ValidationFailure } from "./failures.ts";
import { compileCheck } from "./validation/compile-check.ts";

const context = { requestId: "call-1", docsUrl: "https://gate.example/docs" };

const problem = { loc: ["body", "messages", 0, "role"], msg: "Field required", type: "missing" } as const;

test("every failure code has the published error body", () => {
  const isErrorResponse = compileCheck(ErrorResponse);
  for (const code of gatewayCodes) {
    const body = toErrorBody(new Failure(code, "A sentence."), "semantic", context);
    expect(isErrorResponse(body), code).toBe(true);
    expect(body).toEqual({
      error: {
        message: "A sentence.",
        type: failures[code].type,
        param: null,
        code,
        doc_url: `https://gate.example/docs/errors/codes/${code}`,
        request_id: "call-1",
      },
    });
  }
});

test("the error code is the HTTP status for clients that expect status codes", () => {
  expect(toErrorBody(new Failure("invalid_api_key", "No."), "status", context).error.code).toBe("401");
});

test("a schema rejection lists every problem in both published formats", () => {
  const failure = new ValidationFailure([
    problem,
    { loc: ["body", "n"], msg: "Too small", type: "greater_than_equal" },
  ]);
  const body = toErrorBody(failure, "semantic", context);
  expect(compileCheck(HTTPValidationError)(body)).toBe(true);
  expect(body).toEqual({
    detail: [problem, { loc: ["body", "n"], msg: "Too small", type: "greater_than_equal" }],
    error: {
      message: "body.messages.0.role: Field required; body.n: Too small",
      type: "invalid_request_error",
      param: "messages.0.role",
      code: "validation_error",
      doc_url: "https://gate.example/docs/errors/codes/validation_error",
      request_id: "call-1",
    },
  });
});

test("the error body includes provider fields and excludes details meant for the log", () => {
  const facts = {
    param: "n",
    providerFields: { reason: "x" },
    detail: { host: "10.0.0.1" },
    cause: new Error("secret"),
  };
  const body = toErrorBody(new Failure("invalid_request", "No.", facts), "semantic", context);
  expect(body.error).toMatchObject({ param: "n", provider_specific_fields: { reason: "x" } });
  expect(JSON.stringify(body)).not.toMatch(/10\.0\.0\.1|secret/);
});

test("a limit refusal includes the limit's owner, a fix, and the call ID in the published format", () => {
  const limit = {
    kind: "budget",
    ownerType: "key",
    ownerName: "ci-bot",
    resetsAt: "2026-12-01T00:00:00.000Z",
  } as const;
  const facts = { limit: { ...limit, current: "25.030000000", maximum: "25.000000000" }, fix: "Raise the budget." };
  const body = toErrorBody(new Failure("budget_exceeded", "Spent.", facts), "semantic", context);
  expect(compileCheck(ErrorResponse)(body)).toBe(true);
  expect(body.error).toEqual({
    message: "Spent.",
    type: "insufficient_quota",
    param: null,
    code: "budget_exceeded",
    limit: {
      kind: "budget",
      owner_type: "key",
      owner_name: "ci-bot",
      current: "25.030000000",
      maximum: "25.000000000",
      resets_at: "2026-12-01T00:00:00.000Z",
    },
    fix: "Raise the budget.",
    doc_url: "https://gate.example/docs/errors/codes/budget_exceeded",
    request_id: "call-1",
  });
});

test("a management error has the fix and the link beside the message", () => {
  const failure = new Failure("NAME_TAKEN", "The name is taken.", { fix: "Choose another name." });
  expect(toManagementErrorBody(failure, context)).toEqual({
    error: "The name is taken.",
    code: "VALIDATION_ERROR",
    details: { reason: "NAME_TAKEN" },
    fix: "Choose another name.",
    docUrl: "https://gate.example/docs/errors/reasons/NAME_TAKEN",
    requestId: "call-1",
  });
});

describe("failure catalog", () => {
  test("has one status per error type, and quota failures are never retryable", () => {
    for (const code of gatewayCodes) {
      const { status, type, retryable, name } = failures[code];
      if (type === "authentication_error") expect(status, code).toBe(401);
      if (type === "permission_error") expect(status, code).toBe(403);
      if (type === "timeout_error") expect(status, code).toBe(408);
      if (type === "insufficient_quota") expect([status, retryable], code).toEqual([429, false]);
      if (type === "server_error") expect(status, code).toBeGreaterThanOrEqual(500);
      if (type === "invalid_request_error" && code !== "loop_detected") expect(status, code).toBeLessThan(500);
      expect(name, code).toMatch(/^[A-Z][A-Za-z]+$/);
    }
  });

  test("defines the HTTP status of each failure", () => {
    expect(new Failure("TEAM_BLOCKED", "Blocked.").status).toBe(403);
    expect(new Failure("DB_TIMEOUT", "Away.").status).toBe(503);
  });
});
