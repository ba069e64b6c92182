import { describe, expect, test } from "vitest";
import { readMessagesFailure, readStreamFailure } from "./read-failure.ts";
import { errorBody } from "./recorded.fixture.ts";

describe("Anthropic failure", () => {
  test.for<[number, string, string, string]>([
    [400, "invalid_request_error", "max_tokens: 90000 > 64000", "invalid_request"],
    [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "context_length_exceeded"],
    [
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000",
      "context_length_exceeded",
    ],
    [400, "invalid_request_error", "Output blocked by content filtering policy", "content_filter"],
    [404, "not_found_error", "model: claude-9", "model_not_found"],
    [413, "request_too_large", "Request exceeds the maximum size", "request_too_large"],
    [422, "invalid_request_error", "no", "unprocessable_entity"],
    [429, "rate_limit_error", "This request would exceed your rate limit", "upstream_rate_limit"],
    [409, "conflict_error", "busy", "invalid_request"],
    [500, "api_error", "Internal server error", "internal_error"],
    [502, "api_error", "x", "bad_gateway"],
    [503, "api_error", "x", "service_unavailable"],
    [504, "timeout_error", "x", "timeout"],
    [529, "overloaded_error", "Overloaded", "service_unavailable"],
    [302, "x", "x", "bad_gateway"],
  ])("%i %s (%s) maps to %s", ([status, type, message, code]) => {
    const failure = readMessagesFailure(status, {}, errorBody(type, message));
    expect(failure.code).toBe(code);
    expect(failure.facts.detail).toEqual({ upstreamStatus: status, upstreamCode: type });
    // Only client errors contain the provider's message.
    expect(failure.message === message).toBe(status >= 400 && status < 500);
  });

  test.for<[number, string, string]>([
    [401, "authentication_error", "invalid x-api-key"],
    [402, "billing_error", "pay"],
    [403, "permission_error", "no access"],
    [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
  ])("%i %s for the operator's account is reported as an upstream credential error", ([status, type, message]) => {
    const failure = readMessagesFailure(status, {}, errorBody(type, message));
    expect([failure.code, failure.message]).toEqual(["internal_error", "upstream credential rejected"]);
    expect(failure.facts.detail).toMatchObject({ isCredential: true });
  });

  test("contains the retry delay if the provider sends one", () => {
    const body = errorBody("rate_limit_error", "slow down");
    expect(readMessagesFailure(429, { "retry-after": "7" }, body).facts.retryAfterMs).toBe(7_000);
    expect(readMessagesFailure(429, {}, body).facts).not.toHaveProperty("retryAfterMs");
  });

  test("contains no keys or URLs", () => {
    const { message } = readMessagesFailure(
      400,
      {},
      errorBody("x", "bad key sk-ant-api03-abcdef at https://internal/x"),
    );
    expect(message).toBe("bad key [removed] at [removed]");
  });

  test.for(["", "<html>", "null", "[]", '{"error":"text"}', '{"error":{"message":5}}'])(
    "is classified by status if the body is malformed: %s",
    (body) => {
      expect(readMessagesFailure(529, {}, body).code).toBe("service_unavailable");
      expect(readMessagesFailure(400, {}, body)).toMatchObject({
        code: "invalid_request",
        message: "The model could not respond.",
      });
    },
  );

  test.for<[string, string]>([
    ["overloaded_error", "service_unavailable"],
    ["rate_limit_error", "upstream_rate_limit"],
    ["api_error", "internal_error"],
    ["invalid_request_error", "invalid_request"],
    ["authentication_error", "internal_error"],
    ["timeout_error", "timeout"],
    ["unknown_error", "internal_error"],
  ])("during a stream is classified by type: %s", ([type, code]) => {
    expect(readStreamFailure(errorBody(type, "x")).code).toBe(code);
  });
});
