import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { describe, expect } from "vitest";
import type { TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const messages = [{ role: "user", content: "hello" }];

/** Returns the request that the upstream receives for a body. */
async function forward(gateway: TestGateway, upstream: FakeUpstream, body: unknown) {
  upstream.replies(200, chatAnswer());
  const answer = await gateway.post("/v1/chat/completions", body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(await errorOf(answer))}`);
  return upstream.ended(upstream.requests.length - 1);
}

describe("the upstream receives", () => {
  test("the caller's bytes, except for the model name", async ({ gateway, upstreams }) => {
    const body =
      '{\n  "messages" : [ {"role":"user","content":"\\u00e9 é 世界 😀 \\ud83d\\ude00 \\/ \\n"} ],\t"seed":12345678901234567,\n' +
      '"temperature":1.0e0,  "model": "alpha" ,"frobnicate":{"b":1,"a":[1.50,{}]},"logit_bias":{"50256":-1.0} }\n';
    const { body: received } = await forward(gateway, upstreams.alpha, body);
    expect(received.toString("utf8")).toBe(body.replace(' "alpha" ', '"upstream-1"'));
  });

  test("all of a large body", async ({ gateway, upstreams }) => {
    const content = "é😀".repeat(400_000);
    const { body } = await forward(gateway, upstreams.alpha, { model: "alpha", messages: [{ role: "user", content }] });
    expect(JSON.parse(body.toString("utf8")).messages[0].content === content).toBe(true);
  });

  test("none of the gateway's own fields", async ({ gateway, upstreams }) => {
    const request = await forward(gateway, upstreams.alpha, {
      metadata: { tags: ["a"], trace_id: "t" },
      model: "alpha",
      timeout: 5,
      stream_timeout: 5,
      messages,
      num_retries: 0,
      fallbacks: ["beta"],
      context_window_fallback_dict: { alpha: "beta" },
      caching: false,
      cache: { "no-cache": true },
      tags: ["x"],
      disable_fallbacks: true,
      drop_params: true,
      additional_drop_params: [],
      allowed_openai_params: [],
      guardrails: [],
      temperature: 0.5,
      api_version: "2024-10-21",
      api_type: null,
      custom_llm_provider: "openai",
      api_base: null,
      api_key: null,
    });
    expect(request.json()).toEqual({ model: "upstream-1", messages, temperature: 0.5 });
  });

  test("the metadata field only if the completion is stored", async ({ gateway, upstreams }) => {
    const metadata = { project: "blue" };
    const stored = await forward(gateway, upstreams.alpha, { model: "alpha", messages, metadata, store: true });
    expect(stored.json()).toMatchObject({ metadata, store: true });
    const plain = await forward(gateway, upstreams.alpha, { model: "alpha", messages, metadata });
    expect(plain.json()).not.toHaveProperty("metadata");
    const mixed = { project: "blue", tags: ["a"] };
    const other = await forward(gateway, upstreams.alpha, { model: "alpha", messages, metadata: mixed, store: true });
    expect(other.json()).not.toHaveProperty("metadata");
  });

  test("the fields in extra_body, which override other fields, but not extra_body itself", async ({
    gateway,
    upstreams,
  }) => {
    const extra_body = { top_k: 40, temperature: 0.1, ключ: { é: "😀" } };
    const request = await forward(gateway, upstreams.alpha, { model: "alpha", messages, temperature: 1, extra_body });
    expect(request.json()).toEqual({ model: "upstream-1", messages, ...extra_body });
  });

  test("the headers in extra_headers", async ({ gateway, upstreams }) => {
    const request = await forward(gateway, upstreams.alpha, {
      model: "alpha",
      messages,
      extra_headers: { "X-Team": "blue" },
    });
    expect(request.headers["x-team"]).toBe("blue");
    expect(request.json()).not.toHaveProperty("extra_headers");
  });

  test("none of the fields that the request drops", async ({ gateway, upstreams }) => {
    const fields = { temperature: 1, frobnicate: 1, additional_drop_params: ["temperature", "frobnicate"] };
    expect((await forward(gateway, upstreams.alpha, { model: "alpha", messages, ...fields })).json()).toEqual({
      model: "upstream-1",
      messages,
    });
  });

  test("a field without the nested members that the request or its deployment drops", async ({ start, upstreams }) => {
    const params = `{ model: openai/x, api_base: "${upstreams.alpha.origin}", additional_drop_params: [extra.b] }`;
    const gateway = await start({ yaml: `  - { model_name: picky, litellm_params: ${params} }` });
    const tools = [{ type: "function", function: { name: "f", strict: true } }];
    const fields = { tools, extra: { a: "é", b: 1 }, additional_drop_params: ["tools.function.strict"] };
    expect((await forward(gateway, upstreams.alpha, { model: "picky", messages, ...fields })).json()).toEqual({
      model: "x",
      messages,
      tools: [{ type: "function", function: { name: "f" } }],
      extra: { a: "é" },
    });
  });

  test("include_usage for a stream, even if its deployment drops stream_options", async ({ start, upstreams }) => {
    const params = `{ model: openai/x, api_base: "${upstreams.alpha.origin}", additional_drop_params: [stream_options] }`;
    const gateway = await start({ yaml: `  - { model_name: picky, litellm_params: ${params} }` });
    upstreams.alpha.streams(chatFrames());
    const fields = { stream: true, stream_options: { include_usage: true } };
    await (await gateway.chat({ model: "picky", ...fields })).text();
    expect(upstreams.alpha.requests.at(-1)?.json()).toMatchObject({ stream_options: { include_usage: true } });
  });

  test("none of the fields that its deployment drops", async ({ start, upstreams }) => {
    const params = `{ model: openai/x, api_base: "${upstreams.alpha.origin}", additional_drop_params: [logit_bias, frobnicate] }`;
    const gateway = await start({ yaml: `  - { model_name: picky, litellm_params: ${params} }` });
    const body = { model: "picky", messages, logit_bias: { "1": 1 }, frobnicate: 1, seed: 1 };
    expect((await forward(gateway, upstreams.alpha, body)).json()).toEqual({ model: "x", messages, seed: 1 });
  });

  test("none of the parameters that the model lacks, with drop_params", async ({ start, upstreams }) => {
    const entry = (name: string, model: string, info = "") =>
      `  - { model_name: ${name}, litellm_params: { model: ${model}, api_base: "${upstreams.alpha.origin}" }, model_info: { ${info} } }`;
    const gateway = await start({
      yaml: [
        entry("plain", "openai/gpt-4o"),
        entry("flagged", "openai/gpt-4o", "supports_reasoning: true"),
        entry("listed", "openai/gpt-4o", "supported_openai_params: [seed]"),
        entry("thinker", "openai/gpt-5"),
      ].join("\n"),
    });
    const fields = { reasoning_effort: "low", verbosity: "low", thinking: { type: "enabled", budget_tokens: 1024 } };
    const sent = async (model: string, more: object = {}) => {
      const body = { model, messages, ...fields, drop_params: true, ...more };
      return (await forward(gateway, upstreams.alpha, body)).json();
    };
    expect(await sent("plain")).toEqual({ model: "gpt-4o", messages });
    expect(await sent("plain", { allowed_openai_params: ["verbosity"] })).toMatchObject({ verbosity: "low" });
    const { thinking: _, ...reasoning } = fields;
    expect(await sent("flagged")).toEqual({ model: "gpt-4o", messages, ...reasoning });
    expect(await sent("thinker")).toEqual({ model: "gpt-5", messages, ...reasoning });
    expect(await sent("listed", { seed: 1, top_p: 0.5 })).toMatchObject({ seed: 1 });
    expect(await sent("listed", { seed: 1, top_p: 0.5 })).not.toHaveProperty("top_p");
    const before = upstreams.alpha.requests.length;
    const refused = await gateway.chat({ model: "plain", messages, reasoning_effort: "low" });
    expect([refused.status, (await errorOf(refused)).param]).toEqual([400, "reasoning_effort"]);
    expect(upstreams.alpha.requests).toHaveLength(before);
  });

  test("the correct fields if a name is written with escapes", async ({ gateway, upstreams }) => {
    const body = `{"mod\\u0065l":"alpha","tag\\u0073":["x"],"messages":${JSON.stringify(messages)},"é":"\\u00e9"}`;
    expect((await forward(gateway, upstreams.alpha, body)).json()).toEqual({ model: "upstream-1", messages, é: "é" });
  });
});

describe("an unknown field", () => {
  const body = { model: "alpha", messages, frobnicate: 1 };

  test.for([
    ["forward", { model: "upstream-1", messages, frobnicate: 1 }],
    ["drop", { model: "upstream-1", messages }],
  ] as const)("is handled according to unknown_params: %s", async ([setting, expected], { start, upstreams }) => {
    const gateway = await start({ yaml: `gw_settings: { unknown_params: ${setting} }` });
    expect((await forward(gateway, upstreams.alpha, body)).json()).toEqual(expected);
  });

  test("is rejected with unknown_params: reject, unless it is null", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: "gw_settings: { unknown_params: reject }" });
    const refused = await gateway.post("/v1/chat/completions", body);
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: "unsupported_parameter", param: "frobnicate" });
    expect((await forward(gateway, upstreams.alpha, { ...body, frobnicate: null })).json()).toEqual({
      model: "upstream-1",
      messages,
    });
  });
});

describe("a request cannot configure the gateway", () => {
  const steering = {
    api_base: "http://10.0.0.1",
    base_url: "http://10.0.0.1",
    api_key: "sk-mine",
    logger_fn: "print",
    gw_logging_obj: {},
    aws_secret_access_key: "x",
    vertex_credentials: "{}",
    azure_ad_token: "x",
    input_cost_per_token: 0,
    output_cost_per_token: 0,
    success_callback: ["x"],
    callbacks: ["x"],
  };

  test.for(Object.entries(steering))("with %s, at any level", async ([name, value], { gateway, upstreams }) => {
    const places: [string, Record<string, unknown>][] = [
      [name, { [name]: value }],
      [`extra_body.${name}`, { extra_body: { [name]: value } }],
      [`metadata.${name}`, { metadata: { [name]: value } }],
      ["fallbacks", { fallbacks: [{ model: "beta", [name]: value }] }],
    ];
    for (const [param, fields] of places) {
      const answer = await gateway.chat({ model: "alpha", ...fields });
      expect(answer.status, param).toBe(400);
      const error = await errorOf(answer);
      expect(error.code).toBe("client_side_credentials_not_allowed");
      expect(error.param).toContain(param === "fallbacks" ? name : param);
    }
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("with a field name written with escapes", async ({ gateway }) => {
    const body = `{"model":"alpha","messages":${JSON.stringify(messages)},"api\\u005fbase":"http://10.0.0.1"}`;
    expect((await errorOf(await gateway.post("/v1/chat/completions", body))).code).toBe(
      "client_side_credentials_not_allowed",
    );
  });

  test("by naming one of its environment variables", async ({ gateway }) => {
    const value = "os.environ/OPENAI_API_KEY";
    for (const fields of [
      { user: value },
      { frobnicate: value },
      { extra_body: { x: value } },
      { metadata: { x: value } },
    ]) {
      const answer = await gateway.chat({ model: "alpha", ...fields });
      expect((await errorOf(answer)).code, JSON.stringify(fields)).toBe("client_side_credentials_not_allowed");
    }
  });

  test("but can mention gateway settings in a message", async ({ gateway, upstreams }) => {
    const content = "os.environ/OPENAI_API_KEY and api_base";
    const request = await forward(gateway, upstreams.alpha, { model: "alpha", messages: [{ role: "user", content }] });
    expect(request.json()).toMatchObject({ messages: [{ content }] });
  });

  test.for([
    ["model", "gpt-expensive"],
    ["messages", []],
    ["stream", true],
    ["stream_options", { include_usage: false }],
    ["n", 100],
    ["max_tokens", 1_000_000],
    ["max_completion_tokens", 1_000_000],
    ["service_tier", "priority"],
  ] as const)("by setting %s, which affects the cost, in extra_body", async ([name, value], { gateway, upstreams }) => {
    const answer = await gateway.chat({ model: "alpha", extra_body: { [name]: value } });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: `extra_body.${name}` });
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test.for([
    "Authorization",
    "api-key",
    "X-Api-Key",
    "x-goog-api-key",
    "Cookie",
    "Host",
    "Content-Length",
    "Transfer-Encoding",
    "x-gw-hops",
    "X-Amz-Date",
    "X-Amzn-Bedrock-PerformanceConfig-Latency",
    "x-goog-user-project",
    "X-Vertex-AI-LLM-Shared-Request-Type",
    "Connection",
    "Accept-Encoding",
    "x auth",
    "a\r\nb",
  ])("with the extra header %s", async (name, { gateway, upstreams }) => {
    const answer = await gateway.chat({ model: "alpha", extra_headers: { [name]: "x" } });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: "extra_headers" });
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("with a line break in an extra header's value", async ({ gateway, upstreams }) => {
    const answer = await gateway.chat({ model: "alpha", extra_headers: { "x-team": "a\r\nauthorization: b" } });
    expect(answer.status).toBe(400);
    expect(upstreams.alpha.requests).toEqual([]);
  });
});

describe("request validation beyond the schema", () => {
  const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  test.for<[string, object, number, string | null]>([
    ["rejects an assistant message without content", { messages: [{ role: "assistant" }] }, 422, "messages.0.content"],
    [
      "rejects a tool message without a tool call",
      { messages: [{ role: "tool", tool_call_id: "c1", content: "x" }] },
      400,
      "messages.0.tool_call_id",
    ],
    [
      "rejects a tool message for another tool call",
      {
        messages: [
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: "c2", content: "x" },
        ],
      },
      400,
      "messages.1.tool_call_id",
    ],
    [
      "accepts two results for one assistant message",
      {
        messages: [
          { role: "assistant", tool_calls: [call, { ...call, id: "c2" }] },
          { role: "tool", tool_call_id: "c2", content: "x" },
          { role: "tool", tool_call_id: "c1", content: "y" },
        ],
      },
      200,
      null,
    ],
    [
      "rejects a result for an earlier assistant message",
      {
        messages: [
          { role: "assistant", tool_calls: [call] },
          { role: "assistant", content: "x" },
          { role: "tool", tool_call_id: "c1", content: "x" },
        ],
      },
      400,
      "messages.2.tool_call_id",
    ],
    ["rejects top_logprobs without logprobs", { top_logprobs: 1 }, 400, "top_logprobs"],
    ["rejects a tier without a price", { service_tier: "priority" }, 400, "service_tier"],
    ["accepts the default tier", { service_tier: "default" }, 200, null],
    ["rejects an unknown guardrail", { guardrails: ["pii"] }, 400, "guardrails"],
    ["rejects a mock response", { mock_response: "hi" }, 400, "mock_response"],
  ])("%s", async ([, fields, status, param], { gateway }) => {
    const answer = await gateway.chat({ model: "sim/echo", ...fields });
    expect(answer.status).toBe(status);
    if (status !== 200) expect((await errorOf(answer)).param).toBe(param);
  });

  test("measures maximum lengths in characters, not bytes", async ({ gateway }) => {
    const withTag = (tag: string) => gateway.chat({ model: "sim/echo", tags: [tag] });
    expect((await withTag("世".repeat(256))).status).toBe(200);
    expect((await withTag("世".repeat(257))).status).toBe(422);
  });

  test.for(["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])(
    "accepts a body sent as %s",
    async (contentType, { gateway }) => {
      expect((await gateway.chat({ model: "sim/echo" }, { "content-type": contentType })).status).toBe(200);
    },
  );
});
