import type { JsonSchema } from "@tollgate/testkit/json-schema.ts";
import { expect, test } from "vitest";
import type { FuzzRequest } from "./fuzz-request.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { PublishedOperation } from "./published-operations.ts";
import type { Answer } from "./send-request.ts";

const answerSchema: JsonSchema = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
const errorSchema: JsonSchema = { type: "object", required: ["error"] };
const operation: PublishedOperation = {
  id: "ask",
  method: "POST",
  paths: ["/ask"],
  isKeyed: true,
  query: [],
  body: { type: "object", properties: { n: { type: "integer" } } },
  isBodyOptional: false,
  isAboutRecords: false,
  isForm: false,
  isForAdministrators: false,
  answers: new Map([
    [
      200,
      new Map([
        ["application/json", answerSchema],
        ["text/event-stream", answerSchema],
      ]),
    ],
    [401, new Map([["application/json", errorSchema]])],
    [422, new Map([["application/json", errorSchema]])],
  ]),
};
const request: FuzzRequest = {
  kind: "near-valid",
  operation,
  method: "POST",
  key: "good",
  keyHeader: "x-gw-api-key",
  pathValue: "",
  isNamedTwice: false,
  query: "",
  headers: [],
  body: Buffer.from('{"n":1}'),
  contentType: "application/json",
};
const headers = { "x-gw-call-id": "1", "x-gw-version": "1", "x-gw-error-name": "E", "www-authenticate": "Bearer" };
const json = { ...headers, "content-type": "application/json" };
const stream = { ...headers, "content-type": "text/event-stream; charset=utf-8" };
const good: Answer = { status: 200, headers: json, body: '{"id":"a"}', isText: true, isCut: false };

const judge = (answer: Partial<Answer>, fuzz: Partial<FuzzRequest> = {}) =>
  judgeAnswer({ ...request, ...fuzz }, "/ask", { ...good, ...answer }, () => errorSchema, ["canary"]);

test("a response that meets all requirements passes", () => {
  expect(judge({})).toBeNull();
  expect(judge({ headers: stream, body: 'data: {"id":"a"}\n\ndata: [DONE]\n\n' })).toBeNull();
  expect(judge({ status: 401, body: '{"error":{}}' }, { key: "none" })).toBeNull();
});

test("server errors are problems unless the model is configured to fail", () => {
  expect(judge({ status: 500, body: '{"error":{}}' })).toContain("no model is configured to fail");
  expect(judge({ status: 503 }, { kind: "valid" })).not.toBeNull();
});

test("API keys are checked before anything else", () => {
  expect(judge({}, { key: "none" })).toBe("200 without a good key");
  expect(judge({ status: 422, body: '{"error":{}}' }, { key: "unknown" })).toBe("422 without a good key");
  expect(judge({ status: 401, body: '{"error":{}}' })).toBe("401 with a good key");
});

test("bodies are checked against the published schema of their status and media type", () => {
  expect(judge({ body: '{"id":1}' })).toContain("$.id");
  expect(judge({ body: "not json" })).toContain("not JSON");
  expect(judge({ headers: { ...json, "content-type": "text/html" } })).toContain("not published");
  expect(judge({ status: 418, body: '{"error":{}}' })).toContain("418 is not published");
  expect(judge({ isText: false })).toContain("UTF-8");
});

test("a stream must end with its marker or an error, and nothing may follow", () => {
  expect(judge({ headers: stream, body: 'data: {"id":"a"}\n\n' })).toContain("without its mark");
  expect(judge({ headers: stream, body: 'data: {"id":2}\n\ndata: [DONE]\n\n' })).toContain("frame $.id");
  expect(judge({ headers: stream, body: 'data: [DONE]\n\ndata: {"id":"a"}\n\n' })).toContain("behind the end");
  expect(judge({ headers: stream, body: 'data: {"id":"a"}\n\ndata: {"error":{}}\n\n' })).toBeNull();
});

test("requests must be accepted if and only if the published schema allows them", () => {
  expect(judge({}, { body: Buffer.from('{"n":"one"}') })).toContain("accepted, but");
  const body = JSON.stringify({ error: {}, detail: [{ loc: ["body", "n"], type: "int_parsing" }] });
  expect(judge({ status: 422, body })).toContain("refused, but");
});

test("every response must have the standard headers and must not contain secrets", () => {
  expect(judge({ headers: { ...json, "x-gw-version": undefined } })).toContain("x-gw-version");
  expect(judge({ body: '{"id":"canary"}' })).toBe("a secret is in the answer");
});
