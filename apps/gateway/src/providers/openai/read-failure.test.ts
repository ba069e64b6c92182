import { errorAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect, test } from "vitest";
import { readOpenAiFailure } from "./read-failure.ts";

const read = (status: number, body: unknown = {}, headers = {}) =>
  readOpenAiFailure(status, headers, typeof body === "string" ? body : toBytes(JSON.stringify(body)));
const toBytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

test.for([
  [400, "invalid_request", 400],
  [404, "model_not_found", 404],
  [408, "timeout", 408],
  [409, "invalid_request", 400],
  [413, "invalid_request", 400],
  [422, "unprocessable_entity", 422],
  [429, "upstream_rate_limit", 429],
  [500, "internal_error", 500],
  [501, "service_unavailable", 503],
  [502, "bad_gateway", 502],
  [503, "service_unavailable", 503],
  [504, "timeout", 408],
  [529, "service_unavailable", 503],
  [201, "bad_gateway", 502],
  [204, "bad_gateway", 502],
  [302, "bad_gateway", 502],
] as const)("upstream status %i maps to %s", ([status, code, ownStatus]) => {
  const failure = read(status, errorAnswer("A sentence."));
  expect([failure.code, failure.status]).toEqual([code, ownStatus]);
});

test.for([400, 401, 402, 403])(
  "a rejected upstream credential (%i) is an internal error, not a client key error",
  (status) => {
    const failure = read(status, errorAnswer("Incorrect API key provided: sk-proj-12345678."));
    expect(failure).toMatchObject({ code: "internal_error", status: 500, message: "upstream credential rejected" });
    expect(failure.facts.detail).toMatchObject({ isCredential: true });
  },
);

test("a 403 for a content policy violation isn't a credential error", () => {
  expect(read(403, { error: "Content violates usage guidelines." }).code).toBe("content_policy_violation");
});

describe("upstream error classification", () => {
  test.for([
    ["context_length_exceeded", "x", "context_length_exceeded"],
    ["content_policy_violation", "x", "content_policy_violation"],
    ["content_filter", "x", "content_filter"],
    [null, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"],
    [null, "The input exceeds the context window of this model.", "context_length_exceeded"],
    [null, "Blocked by Azure OpenAI's content management policy.", "content_policy_violation"],
    [null, "This model's maximum prompt length is 131072.", "context_length_exceeded"],
    [null, "The request exceeds the available context size.", "context_length_exceeded"],
    [null, "Content violates usage guidelines.", "content_policy_violation"],
    ["rate_limit_exceeded", "Request too large on tokens per minute.", "upstream_rate_limit"],
    [null, "temperature is too hot", "invalid_request"],
  ] as const)("uses the code, or the message if there is no code: %s, %s", ([code, message, expected]) => {
    expect(read(400, errorAnswer(message, { code })).code).toBe(expected);
  });

  test("treats a schema validation failure as a server error", () => {
    expect(read(500, errorAnswer("x", { code: "json_schema_validation_failed" })).code).toBe(
      "json_schema_validation_failed",
    );
  });
});

describe("upstream error message", () => {
  test("is passed on for a client error", () => {
    const failure = read(400, errorAnswer("temperature is too hot — é", { param: "temperature" }));
    expect(failure.message).toBe("temperature is too hot — é");
    expect(failure.facts.param).toBe("temperature");
  });

  test("is hidden for a server error", () => {
    expect(read(500, errorAnswer("panic at db-7.internal")).message).toBe("The model failed to respond.");
    expect(read(503, errorAnswer("panic at db-7.internal")).message).not.toContain("internal");
  });

  test("never contains a key or URL", () => {
    const text = "Key sk-proj-abcdef123456 was refused by https://10.0.0.7:8080/v1/chat?x=1 (see key-abcd1234).";
    const { message } = read(400, errorAnswer(text));
    expect(message).toBe("Key [removed] was refused by [removed] (see [removed]).");
  });

  test("is limited to 500 characters", () => {
    expect(read(400, errorAnswer("x".repeat(10_000))).message).toHaveLength(500);
  });

  test.for(["", "<html>", '"text"', "null", "[]", '{"error":null}', '{"error":{"message":7}}', '{"detail":[]}'])(
    "is replaced with a default if the body is malformed: %s",
    (body) => {
      expect(read(400, body)).toMatchObject({ code: "invalid_request", message: "The model could not respond." });
    },
  );

  test.for([
    [{ error: "too hot" }, "too hot", undefined],
    [{ detail: "too hot" }, "too hot", undefined],
    [{ detail: { error: "too hot" } }, "too hot", undefined],
    [{ object: "error", message: "too hot", param: "temperature" }, "too hot", "temperature"],
    [{ detail: [{ loc: ["body", "messages", 0], msg: "too" }, { msg: "hot" }] }, "too; hot", "messages.0"],
    [{ message: { detail: [{ loc: ["body", "n"], msg: "too hot" }] } }, "too hot", "n"],
    [{ error: { message: "too hot" }, message: "aside" }, "too hot", undefined],
    [{ error: { code: 7 }, message: "too hot" }, "too hot", undefined],
  ] as const)("is read from %j", ([body, message, param]) => {
    const failure = read(400, body);
    expect([failure.message, failure.facts.param]).toEqual([message, param]);
  });

  test("is replaced with a default if it is nested too deeply", () => {
    let body: unknown = "deep";
    for (let depth = 0; depth < 1_000; depth += 1) body = { message: body };
    expect(read(400, body).message).toBe("The model could not respond.");
  });
});

test.for([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
  [{ "retry-after": "3600" }, 3_600_000],
  [{ "retry-after": "3601" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" }, undefined],
  [{}, undefined],
] as const)("headers %j set retryAfterMs to %s", ([headers, retryAfterMs]) => {
  expect(read(429, {}, headers).facts.retryAfterMs).toBe(retryAfterMs);
});
