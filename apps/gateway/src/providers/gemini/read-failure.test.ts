import { describe, expect, test } from "vitest";
import { readGeminiFailure } from "./read-failure.ts";

const body = (code: number, message: string, status: string, details: object[] = []) =>
  JSON.stringify({ error: { code, message, status, details } });
const read = (status: number, text: string, headers = {}) => readGeminiFailure(status, headers, text);

describe("Gemini failure", () => {
  test.for<[string, number, string, string]>([
    ["INVALID_ARGUMENT", 400, "Invalid value at 'contents'.", "invalid_request"],
    [
      "INVALID_ARGUMENT",
      400,
      "The input token count (1300000) exceeds the maximum number of tokens allowed (1048575).",
      "context_length_exceeded",
    ],
    ["INVALID_ARGUMENT", 400, "The input token count exceeds the limit of 8192.", "context_length_exceeded"],
    ["INVALID_ARGUMENT", 400, "The prompt was blocked by our usage policy.", "content_policy_violation"],
    ["FAILED_PRECONDITION", 400, "The file is not in an ACTIVE state.", "invalid_request"],
    ["NOT_FOUND", 404, "models/gemini-9 is not found for API version v1beta.", "model_not_found"],
    ["RESOURCE_EXHAUSTED", 429, "You exceeded your current quota.", "upstream_rate_limit"],
    ["CANCELLED", 499, "The operation was cancelled.", "service_unavailable"],
    ["INTERNAL", 500, "An internal error has occurred.", "internal_error"],
    ["UNAVAILABLE", 503, "The model is overloaded.", "service_unavailable"],
    ["DEADLINE_EXCEEDED", 504, "Deadline expired.", "timeout"],
  ])("%s %i %j maps to %s", ([status, code, message, expected]) => {
    expect(read(code, body(code, message, status)).code).toBe(expected);
  });

  test.for<[string, number, string, object[]]>([
    [
      "an invalid key",
      400,
      "API key not valid.",
      [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
    ],
    ["an unsupported region", 400, "User location is not supported for the API use.", []],
    ["no key", 401, "Request had invalid authentication credentials.", []],
    ["a project without access to the API", 403, "Generative Language API has not been used in project 1.", []],
  ])(
    "caused by the operator's settings (%s) is reported as an upstream credential error",
    ([, code, message, details]) => {
      const status = code === 400 && details.length === 0 ? "FAILED_PRECONDITION" : "PERMISSION_DENIED";
      const failure = read(code, body(code, message, status, details));
      expect(failure.code).toBe("internal_error");
      expect(failure.message).toBe("upstream credential rejected");
      expect(failure.facts.detail).toMatchObject({ isCredential: true });
    },
  );

  test("caused by an inaccessible file in the request isn't reported as a credential error", () => {
    const failure = read(
      403,
      body(403, "You do not have permission to access the File abc or it may not exist.", "PERMISSION_DENIED"),
    );
    expect(failure.code).toBe("invalid_request");
    expect(failure.facts.detail).not.toHaveProperty("isCredential");
  });

  test.for([
    ["34s", {}, 34_000],
    ["0.5s", {}, 500],
    ["9999999s", {}, undefined],
    ["soon", { "retry-after": "7" }, 7_000],
    [undefined, { "retry-after": "7" }, 7_000],
  ] as const)("with a retry delay of %s and headers %j has retryAfterMs %s", ([retryDelay, headers, expected]) => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", ...(retryDelay && { retryDelay }) }];
    expect(read(429, body(429, "Slow down.", "RESOURCE_EXHAUSTED", details), headers).facts.retryAfterMs).toBe(
      expected,
    );
  });

  test("shows request errors without keys and URLs, and hides server error messages", () => {
    const said = "Bad key AIzaSyD-0123456789abc at https://internal.example/x: é";
    const bytes = Buffer.from(body(400, said, "INVALID_ARGUMENT"), "utf8").toString("latin1");
    expect(read(400, bytes).message).toBe("Bad key [removed] at [removed] é");
    for (const status of [404, 429, 500, 503]) {
      expect(read(status, body(status, said, "X")).message).not.toContain("Bad key");
    }
  });

  test("is read from a one-element array, which streaming requests return", () => {
    const text = `[${body(400, "The input token count exceeds the maximum number of tokens allowed (1).", "INVALID_ARGUMENT")}]`;
    expect(read(400, text).code).toBe("context_length_exceeded");
  });

  test.for(["", "<html>", "null", "[]", '{"error":"text"}', '{"error":{"details":[null]}}'])(
    "is classified by status if the body is %j",
    (text) => {
      expect(read(400, text).code).toBe("invalid_request");
      expect(read(503, text).code).toBe("service_unavailable");
    },
  );
});
