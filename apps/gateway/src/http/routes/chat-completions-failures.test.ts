import { chatAnswer, errorAnswer } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { cutAfterBytes, cutBeforeHeaders, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { VERSION } from "../../call/version.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

interface Row {
  readonly status: number;
  readonly name: string;
  readonly type: string;
  readonly code: string;
  /** The problem with the body as a whole, if the body is rejected. */
  readonly problem?: string;
  /** Fields that are added to a valid chat call. */
  readonly body?: Record<string, unknown>;
  /** Raw body, for requests that are not chat calls. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  /** Behavior of the upstream that serves the group `alpha`. */
  readonly upstream?: (upstream: FakeUpstream) => void;
}

const alpha = { model: "alpha" };
const badRequest = { status: 400, name: "BadRequestError", type: "invalid_request_error" };
const unauthenticated = { status: 401, name: "AuthenticationError", type: "authentication_error" };
const policy = { status: 400, name: "ContentPolicyViolationError", type: "invalid_request_error" };
const timeout = { status: 408, name: "Timeout", type: "timeout_error" };
const unprocessable = { status: 422, name: "UnprocessableEntityError", type: "invalid_request_error" };
const unreadable = { ...unprocessable, code: "validation_error" };
const limited = { status: 429, name: "RateLimitError", type: "rate_limit_error" };
const internal = { status: 500, name: "InternalServerError", type: "server_error" };
const badGateway = { status: 502, name: "BadGatewayError", type: "server_error" };
const unavailable = { status: 503, name: "ServiceUnavailableError", type: "server_error" };
const unreachable = { status: 503, name: "APIConnectionError", type: "server_error", code: "upstream_unreachable" };
const replies = (status: number, body: unknown) => (upstream: FakeUpstream) => upstream.replies(status, body);

const rows: readonly Row[] = [
  { ...policy, code: "content_policy_violation", body: { model: "sim/error?kind=policy" } },
  {
    ...policy,
    code: "content_filter",
    body: alpha,
    upstream: replies(400, errorAnswer("no", { code: "content_filter" })),
  },
  {
    status: 400,
    name: "ContextWindowExceededError",
    type: "invalid_request_error",
    code: "context_length_exceeded",
    body: { model: "sim/error?kind=context" },
  },
  {
    status: 400,
    name: "UnsupportedParamsError",
    type: "invalid_request_error",
    code: "unsupported_parameter",
    body: { model: "sim/echo", service_tier: "flex" },
  },
  { ...badRequest, code: "invalid_request", body: { model: "sim/echo", top_logprobs: 2 } },
  { ...badRequest, code: "invalid_request", body: { model: "sim/echo", stream_options: { include_usage: true } } },
  { ...badRequest, code: "invalid_request", body: { model: "sim/error?status=400" } },
  { ...unreadable, problem: "json_invalid", raw: '{"model":' },
  { ...unreadable, problem: "dict_type", raw: "[]" },
  { ...unreadable, problem: "dict_type", raw: "null" },
  { ...unreadable, problem: "missing", raw: "" },
  { ...unreadable, problem: "missing", raw: "", headers: { "content-type": "text/plain" } },
  { ...unreadable, problem: "json_invalid", raw: `{"model":"sim/echo","x":${"[".repeat(70)}${"]".repeat(70)}}` },
  { ...unreadable, problem: "json_invalid", raw: '{"model":"sim/echo","model":"alpha","messages":[]}' },
  {
    ...badRequest,
    code: "client_side_credentials_not_allowed",
    body: { model: "sim/echo", api_base: "https://example.com" },
  },
  { ...unauthenticated, code: "missing_api_key", body: alpha, headers: { "x-gw-api-key": "" } },
  { ...unauthenticated, code: "invalid_api_key", body: alpha, headers: { "x-gw-api-key": "sk-unknown" } },
  {
    status: 404,
    name: "NotFoundError",
    type: "invalid_request_error",
    code: "model_not_found",
    body: { model: "nowhere" },
  },
  {
    status: 404,
    name: "NotFoundError",
    type: "invalid_request_error",
    code: "model_not_found",
    body: { model: "alpha,beta" },
  },
  {
    status: 404,
    name: "NotFoundError",
    type: "invalid_request_error",
    code: "model_not_found",
    body: { model: "sim/nowhere" },
  },
  {
    status: 404,
    name: "NotFoundError",
    type: "invalid_request_error",
    code: "model_not_found",
    body: { model: "sim/error?status=404" },
  },
  { ...badRequest, status: 413, code: "request_too_large", raw: `{"x":"${"x".repeat(1_100_000)}"}` },
  {
    ...badRequest,
    status: 415,
    code: "unsupported_media_type",
    body: alpha,
    headers: { "content-type": "text/plain" },
  },
  { ...badRequest, status: 415, code: "unsupported_media_type", body: alpha, headers: { "content-encoding": "gzip" } },
  { ...timeout, code: "timeout", body: { model: "sim/slow", timeout: 0.1 } },
  { ...timeout, code: "stream_timeout", body: { model: "sim/slow", stream: true, stream_timeout: 0.1 } },
  { ...timeout, code: "timeout", body: { model: "sim/error?status=408" } },
  { ...timeout, code: "timeout", body: { model: "sim/error?status=504" } },
  { ...unprocessable, code: "validation_error", body: { model: "sim/echo", n: 0 } },
  { ...unprocessable, code: "unprocessable_entity", body: { model: "sim/error?status=422" } },
  { ...limited, code: "upstream_rate_limit", body: { model: "sim/error?status=429" } },
  {
    status: 500,
    name: "JSONSchemaValidationError",
    type: "server_error",
    code: "json_schema_validation_failed",
    body: { model: "sim/error?kind=schema" },
  },
  { ...internal, code: "internal_error", body: { model: "sim/error?status=500" } },
  { ...internal, code: "internal_error", body: { model: "sim/error?status=401" } },
  { ...internal, code: "internal_error", body: { model: "sim/error?status=403" } },
  { ...badGateway, code: "bad_gateway", body: { model: "sim/error?status=502" } },
  { ...badGateway, code: "bad_gateway", body: alpha, upstream: replies(200, "<html>") },
  { ...badGateway, code: "bad_gateway", body: alpha, upstream: replies(302, "") },
  { ...unavailable, code: "service_unavailable", body: { model: "sim/error?status=503" } },
  { ...unavailable, code: "service_unavailable", body: { model: "sim/error?status=529" } },
  { ...unreachable, body: { model: "sim/cut" } },
  { ...unreachable, body: alpha, upstream: (upstream) => upstream.behaves(cutBeforeHeaders()) },
  { ...unreachable, body: alpha, upstream: (upstream) => upstream.behaves(cutAfterBytes(40, chatAnswer())) },
  { ...unreachable, body: { model: "closed" } },
];

describe("the HTTP response to a failed call", () => {
  test.for(rows.map((row, index) => ({ ...row, index })))(
    "$status $code ($index)",
    async (row, { start, upstreams }) => {
      const closed =
        'litellm_params: { model: openai/x, api_base: "http://127.0.0.1:9" }, model_info: { id: closed-1 }';
      const gateway = await start({
        yaml: `  - { model_name: closed, ${closed} }\ngeneral_settings: { max_request_size_mb: 1 }`,
      });
      row.upstream?.(upstreams.alpha);
      const body = row.raw ?? { messages: [{ role: "user", content: "hello" }], ...row.body };
      const answer = await gateway.post("/v1/chat/completions", body, row.headers);
      expect(answer.status).toBe(row.status);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "application/json",
        "x-gw-call-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "x-gw-error-name": row.name,
        "x-gw-version": VERSION,
      });
      const { error, detail } = (await answer.json()) as { error: Record<string, unknown>; detail?: unknown };
      expect(error).toMatchObject({ type: row.type, code: row.code });
      if (row.problem !== undefined) expect(detail).toMatchObject([{ loc: ["body"], type: row.problem }]);
      expect(error.message).not.toBe("");
      expect(error).toHaveProperty("param");
      const { doc_url: link, request_id: id, ...others } = error;
      expect([link, id]).toEqual([`${gateway.url}/docs/errors/codes/${row.code}`, answer.headers.get("x-gw-call-id")]);
      expect(JSON.stringify(others)).not.toMatch(/127\.0\.0\.1|sk-upstream|at .*\.ts:/);
      // The next call must succeed.
      expect((await gateway.chat({ model: "sim/echo" })).status).toBe(200);
    },
  );

  test("is a 503 with Connection: close and Retry-After while the instance is draining", async ({ start }) => {
    const gateway = await start();
    const running = gateway.chat({ model: "sim/slow?ttft=400ms" });
    await waitFor("the call to run", () => gateway.gateway.liveCalls === 1);
    const drained = gateway.gateway.drain(5_000);
    const refused = await gateway.chat({ model: "sim/echo" });
    expect([refused.status, (await errorOf(refused)).code]).toEqual([503, "shutting_down"]);
    expect(refused.headers.get("connection")).toBe("close");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await running).status).toBe(200);
    await drained;
  });
});

describe("error headers", () => {
  test("include WWW-Authenticate if the request has no key", async ({ gateway }) => {
    const answer = await gateway.chat({ model: "alpha" }, { "x-gw-api-key": "" });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="gateway"');
  });

  test("name the deployment if one was chosen", async ({ gateway, upstreams }) => {
    const modelIdOf = async (body: Record<string, unknown>) => (await gateway.chat(body)).headers.get("x-gw-model-id");
    upstreams.alpha.replies(500);
    expect(await modelIdOf({ model: "alpha" })).toBe("alpha-1");
    upstreams.alpha.replies(200, "garbage");
    expect(await modelIdOf({ model: "alpha" })).toBe("alpha-1");
    upstreams.alpha.hangs();
    expect(await modelIdOf({ model: "alpha", timeout: 0.1 })).toBe("alpha-1");
    upstreams.alpha.streams(['data: {"error":{"message":"busy","code":503}}\n\n']);
    expect(await modelIdOf({ model: "alpha", stream: true })).toBe("alpha-1");
    expect(await modelIdOf({ model: "nowhere" })).toBeNull();
  });

  test("pass on the upstream's Retry-After in seconds and in milliseconds, unless the delay is implausible", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(429, errorAnswer("slow down"), { "retry-after-ms": "2500" });
    const { headers } = await gateway.chat({ model: "alpha" });
    expect([headers.get("retry-after"), headers.get("retry-after-ms")]).toEqual(["3", "2500"]);
    upstreams.alpha.replies(429, errorAnswer("slow down"), { "retry-after": "99999" });
    const unreasonable = await gateway.chat({ model: "alpha" });
    expect(unreasonable.headers.get("retry-after")).toBe("1");
  });

  test("include the timeout that applied", async ({ gateway }) => {
    const body = await gateway.chat({ model: "sim/slow", timeout: 0.15 });
    expect(body.headers.get("x-gw-timeout")).toBe("0.15");
    const header = await gateway.chat({ model: "sim/slow" }, { "x-gw-timeout": "0.2" });
    expect(header.headers.get("x-gw-timeout")).toBe("0.2");
  });
});

describe("an upstream error message", () => {
  test("reaches the client if the client caused the error", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(400, errorAnswer("'temperature' ist zu heiß", { param: "temperature" }));
    const error = await errorOf(await gateway.chat({ model: "alpha" }));
    expect(error).toMatchObject({ message: "'temperature' ist zu heiß", param: "temperature" });
  });

  test("does not reach the client if the upstream caused the error, and never includes a key or a URL", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(500, errorAnswer("stack at http://10.0.0.1/ with sk-upstream-0123456789"));
    expect((await errorOf(await gateway.chat({ model: "alpha" }))).message).toBe("The model failed to respond.");
    upstreams.alpha.replies(401, errorAnswer("Incorrect API key provided: sk-upstream-0123456789"));
    const rejected = await errorOf(await gateway.chat({ model: "alpha" }));
    expect(rejected).toMatchObject({ message: "upstream credential rejected", code: "internal_error" });
    upstreams.alpha.replies(400, errorAnswer("see http://10.0.0.1/x or sk-upstream-0123456789"));
    expect(JSON.stringify(await errorOf(await gateway.chat({ model: "alpha" })))).not.toMatch(/10\.0\.0\.1|sk-up/);
  });

  test("is read only up to the length that the gateway needs", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(400, `{"error":{"message":"${"x".repeat(5_000_000)}"}}`);
    const answer = await gateway.chat({ model: "alpha" });
    expect([answer.status, (await errorOf(answer)).code]).toEqual([400, "invalid_request"]);
  });
});

describe("a failed call", () => {
  test("is recorded once and costs nothing", async ({ gateway, upstreams }) => {
    upstreams.alpha.behaves(reply(429, errorAnswer("slow")));
    await gateway.chat({ model: "alpha" });
    upstreams.alpha.behaves(reply(200, "garbage"));
    await gateway.chat({ model: "alpha" });
    expect(gateway.records).toMatchObject([
      { status: "failure", statusCode: 429, errorCode: "upstream_rate_limit", cost: 0n, deploymentId: "alpha-1" },
      { status: "failure", statusCode: 502, errorCode: "bad_gateway", cost: 0n, deploymentId: "alpha-1" },
    ]);
  });

  test("returns its error code in the configured error_code_style", async ({ start }) => {
    const gateway = await start({ yaml: "gw_settings: { error_code_style: status }" });
    expect((await errorOf(await gateway.chat({ model: "nowhere" }))).code).toBe("404");
  });

  test("returns every validation error, in both formats that clients read", async ({ gateway }) => {
    const answer = await gateway.post("/v1/chat/completions", { messages: [{ content: "x" }], n: 0, stream: "yes" });
    expect(await answer.json()).toEqual({
      detail: [
        { loc: ["body", "model"], msg: "Field required", type: "missing" },
        { loc: ["body", "messages", 0, "role"], msg: "Field required", type: "missing" },
        { loc: ["body", "n"], msg: expect.any(String), type: "greater_than_equal" },
        { loc: ["body", "stream"], msg: expect.any(String), type: "bool_parsing" },
      ],
      error: expect.objectContaining({ code: "validation_error", param: "model" }),
    });
  });
});
