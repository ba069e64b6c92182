import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addCounts,
  classOfSettled,
  classOfUnsettled,
  errorRate,
  NO_REQUESTS,
  REQUEST_CLASSES,
  type RequestClass,
  requestsOf,
} from "./request-class.ts";

describe("the class of a request", () => {
  test("follows from the stored status and the HTTP status if it has a usage event", () => {
    const classOf = (status: "success" | "failure" | "client_disconnect", httpStatus: number) =>
      classOfSettled({ status, httpStatus });
    expect(classOf("success", 200)).toBe("succeeded");
    expect(classOf("client_disconnect", 499)).toBe("canceled");
    expect([400, 413, 422].map((httpStatus) => classOf("failure", httpStatus))).toEqual(Array(3).fill("rejected"));
    const failed = [401, 403, 404, 408, 429, 500, 502, 503];
    expect(failed.map((httpStatus) => classOf("failure", httpStatus))).toEqual(failed.map(() => "failed"));
  });

  test.each<[RequestClass, number, string]>([
    ["refused", 429, "QUOTA_EXCEEDED"],
    ["refused", 429, "budget_exceeded"],
    ["refused", 429, "rate_limit_exceeded"],
    ["refused", 429, "no_deployments_available"],
    ["refused", 401, "key_blocked"],
    ["refused", 403, "TEAM_BLOCKED"],
    ["refused", 403, "key_model_access_denied"],
    ["refused", 400, "guardrail_blocked"],
    ["refused", 503, "overloaded"],
    ["rejected", 404, "model_not_found"],
    ["rejected", 422, "validation_error"],
    ["rejected", 400, "unsupported_parameter"],
    ["rejected", 413, "request_too_large"],
    ["rejected", 503, "price_missing"],
    ["failed", 500, "internal_error"],
    ["failed", 503, "accounting_unavailable"],
    ["failed", 429, "upstream_rate_limit"],
    ["canceled", 499, "invalid_request"],
  ])("is %s for status %i with the code %s", (expected, httpStatus, errorCode) => {
    expect(classOfUnsettled({ httpStatus, errorCode })).toBe(expected);
  });

  test("exists for every status and code, and is never succeeded without a usage event", () => {
    const anyCode = fc.option(fc.oneof(fc.string(), fc.constantFrom("toString", "constructor", "overloaded")));
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), anyCode, (httpStatus, errorCode) => {
        const found = classOfUnsettled({ httpStatus, errorCode });
        expect(REQUEST_CLASSES).toContain(found);
        expect(found).not.toBe("succeeded");
      }),
    );
  });
});

test("the number of requests is the sum of the five classes", () => {
  expect(requestsOf({ succeeded: 7, failed: 1, refused: 3, rejected: 2, canceled: 4 })).toBe(17);
  expect(requestsOf(NO_REQUESTS)).toBe(0);
  const some = { succeeded: 1, failed: 2, refused: 3, rejected: 4, canceled: 5 };
  expect(addCounts([some, NO_REQUESTS, some])).toEqual({
    succeeded: 2,
    failed: 4,
    refused: 6,
    rejected: 8,
    canceled: 10,
  });
});

test("the error rate leaves out refused, rejected, and canceled requests", () => {
  expect(errorRate({ succeeded: 3, failed: 1 })).toBe(0.25);
  expect(errorRate({ succeeded: 0, failed: 2 })).toBe(1);
  expect(errorRate({ succeeded: 0, failed: 0 })).toBeNull();
});
