import { ApiError } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { describeError } from "./describe-error.ts";

const FACTS = {
  code: "FORBIDDEN",
  reason: null,
  details: {},
  requestId: "req_1",
  fix: null,
  limit: null,
  docUrl: null,
  retryAfterSeconds: null,
};

test("an error is described with its fix, retry time, and request ID", () => {
  const error = new ApiError(429, "Too many requests", { ...FACTS, fix: "Wait a little", retryAfterSeconds: 7 });
  expect(describeError(error)).toMatchObject({
    message: "Too many requests. Wait a little. Try again in 7 s.",
    requestId: "req_1",
    isNotAllowed: false,
  });
});

test("only an error for a missing role is marked as not allowed", () => {
  expect(describeError(new ApiError(403, "No.", FACTS)).isNotAllowed).toBe(true);
  expect(describeError(new ApiError(401, "No.", FACTS)).isNotAllowed).toBe(false);
});

test("only a web URL becomes a link", () => {
  const about = (docUrl: string) => describeError(new ApiError(400, "No.", { ...FACTS, docUrl })).docUrl;
  expect(about("https://docs.example/errors/x")).toBe("https://docs.example/errors/x");
  expect(about("javascript:alert(1)")).toBeNull();
});

test("a network error or timeout has the console's message instead of the browser's message", () => {
  expect(describeError(new TypeError("Failed to fetch")).message).toBe(
    "Could not reach the server. Check your connection.",
  );
  expect(describeError(new DOMException("x", "TimeoutError")).message).toBe("The server did not respond in time.");
  expect(describeError("odd").message).toBe("Unknown error.");
});
