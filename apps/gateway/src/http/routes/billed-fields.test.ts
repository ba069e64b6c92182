import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { wholeCached } from "../../providers/anthropic/recorded.fixture.ts";
import { errorOf, test as gateways, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

const messages = [{ role: "user", content: "hello" }];
const price = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";

/**
 * Starts a gateway with billing. Each of its groups uses a different provider, and all groups use the same fake
 * upstream.
 */
const test = gateways.extend("billed", async ({ start, upstreams }) => async (extra = "", settings = "") => {
  const target = (name: string, model: string, more = "") =>
    `  - { model_name: ${name}, litellm_params: { model: ${model}, api_base: "${upstreams.alpha.origin}/v1", api_key: ${UPSTREAM_KEY}, ${price}${more} } }`;
  return start({
    yaml: [
      target("plain", "openai/gpt-x"),
      target("router", "openrouter/some/model"),
      target("vllm", "hosted_vllm/local"),
      target("qwen", "dashscope/qwen"),
      target("grok", "xai/grok-3"),
      target("claude", "anthropic/claude-sonnet-4-5"),
      target("gemini", "gemini/gemini-2.5-flash"),
      target(
        "extended",
        "openai/gpt-x",
        ", allowed_params: [frobnicate, web_search_options], allowed_headers: [x-team]",
      ),
      target("trusted", "openai/gpt-x", ", unknown_params: forward"),
      target("dropping", "openai/gpt-x", ", unknown_params: drop"),
      extra,
      "billing: { provider: fake }",
      settings,
    ].join("\n"),
  });
});

describe("with billing on, a caller cannot change the provider's charge", () => {
  test.for<[string, Record<string, unknown>, string]>([
    ["router", { models: ["anthropic/claude-opus-4"] }, "models"],
    ["router", { route: "fallback" }, "route"],
    ["router", { provider: { order: ["x"] } }, "provider"],
    ["router", { plugins: [{ id: "web" }] }, "plugins"],
    ["plain", { web_search_options: {} }, "web_search_options"],
    ["vllm", { web_search_options: {} }, "web_search_options"],
    ["grok", { search_parameters: { mode: "on" } }, "search_parameters"],
    ["plain", { search_parameters: { mode: "on" } }, "search_parameters"],
    ["qwen", { enable_search: true }, "enable_search"],
    ["vllm", { enable_search: true }, "enable_search"],
    ["claude", { speed: "fast" }, "speed"],
    ["claude", { mcp_servers: [{}] }, "mcp_servers"],
    ["gemini", { cachedContent: "cachedContents/x" }, "cachedContent"],
    ["plain", { frobnicate: 1 }, "frobnicate"],
    ["plain", { max_output_tokens: 100_000 }, "max_output_tokens"],
  ])(
    "on %s with the field %j, at the top level or in extra_body",
    async ([model, fields, name], { billed, upstreams }) => {
      const gateway = await billed();
      for (const [body, param] of [
        [fields, name],
        [{ extra_body: fields }, `extra_body.${name}`],
      ] as const) {
        const answer = await gateway.chat({ model, ...body });
        expect(answer.status, param).toBe(400);
        const error = await errorOf(answer);
        expect(error).toMatchObject({ param });
        expect(error.message).toContain(name);
      }
      expect(upstreams.alpha.requests).toEqual([]);
    },
  );

  test.for(["plain", "router", "vllm", "qwen", "grok", "claude", "gemini"])(
    "on %s with fields that do not change the response, which are sent or left out",
    async (model, { billed, upstreams }) => {
      const gateway = await billed();
      // The response has the wrong format for some providers, but the request is sent to all of them.
      upstreams.alpha.replies(200, chatAnswer());
      await gateway.chat({
        model,
        user: "someone",
        safety_identifier: "hash",
        store: true,
        metadata: { project: "blue" },
        prompt_cache_key: "session",
        prompt_cache_retention: "24h",
        service_tier: "default",
        num_retries: 0,
      });
      expect(upstreams.alpha.requests).toHaveLength(1);
    },
  );

  test.for<[string, Record<string, unknown>]>([
    ["plain", { type: "web_search" }],
    ["plain", { type: "web_search_preview" }],
    ["plain", { type: "file_search", vector_store_ids: ["x"] }],
    ["plain", { type: "code_interpreter" }],
    ["plain", { type: "image_generation" }],
    ["router", { type: "openrouter:web_search" }],
    ["claude", { type: "web_search_20250305", name: "web_search" }],
    ["gemini", { google_search: {} }],
    ["gemini", { googleMaps: {} }],
  ])("on %s with the provider-executed tool %j in extra_body", async ([model, tool], { billed, upstreams }) => {
    const gateway = await billed();
    const answer = await gateway.chat({ model, extra_body: { tools: [tool] } });
    expect(answer.status).toBe(400);
    expect((await errorOf(answer)).param).toMatch(/^extra_body\.tools/);
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("with a tool that is not a function, even if `tools` is malformed", async ({ billed, upstreams }) => {
    const gateway = await billed();
    for (const tools of [
      { type: "web_search" },
      [null],
      ["web_search"],
      [{}],
      [{ type: ["function"] }],
      "web_search",
    ]) {
      const answer = await gateway.chat({ model: "plain", extra_body: { tools } });
      expect(answer.status, JSON.stringify(tools)).toBe(400);
    }
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test.for<[string, string]>([
    ["stream", "stream"],
    ["messages", "messages"],
    ["messages.content.type", "messages.content.type"],
    ["messages.content.file.file_data", "messages.content.file.file_data"],
    ["model", "model"],
    ["n", "n"],
    ["max_tokens", "max_tokens"],
    ["max_completion_tokens", "max_completion_tokens"],
    ["stream_options", "stream_options"],
    ["stream_options.include_usage", "stream_options.include_usage"],
    ["service_tier", "service_tier"],
  ])("by dropping %s, and the request is rejected without an attempt", async ([name], { billed, upstreams }) => {
    const gateway = await billed();
    const fields = { model: "plain", stream: true, num_retries: 5, additional_drop_params: [name] };
    const answer = await gateway.chat(fields);
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({
      param: "additional_drop_params",
      message: expect.stringContaining(name),
    });
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("by dropping the type of a function, which makes it a tool of the provider", async ({ billed, upstreams }) => {
    const gateway = await billed();
    const tools = [{ type: "function", googleSearch: {} }];
    const answer = await gateway.chat({ model: "gemini", tools, additional_drop_params: ["tools.type"] });
    expect([answer.status, (await errorOf(answer)).param]).toEqual([400, "tools.0"]);
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test.for(["stream", "n", "max_tokens", "max_completion_tokens", "messages", "stream_options"])(
    "with a fallback that sets %s",
    async (name, { billed, upstreams }) => {
      const gateway = await billed();
      const own: Record<string, unknown> = { stream: true, n: 2, messages, stream_options: { include_usage: false } };
      const answer = await gateway.chat({
        model: "plain",
        fallbacks: [{ model: "vllm", [name]: own[name] ?? 100_000 }],
      });
      expect(answer.status).toBe(400);
      expect(await errorOf(answer)).toMatchObject({ param: `fallbacks.${name}` });
      expect(upstreams.alpha.requests).toEqual([]);
    },
  );

  test("with a fallback that adds a field for choosing other models", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(500, { error: { message: "no" } });
    const answer = await gateway.chat({ model: "plain", fallbacks: [{ model: "router", models: ["expensive"] }] });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(upstreams.alpha.requests.map((request) => request.json())).toEqual([
      expect.not.objectContaining({ models: expect.anything() }),
    ]);
  });

  test.for([
    "openai-organization",
    "openai-project",
    "helicone-target-url",
    "cf-aig-custom-cost",
    "x-forwarded-for",
    "x-team",
  ])("with the header %s", async (name, { billed, upstreams }) => {
    const gateway = await billed();
    const answer = await gateway.chat({ model: "plain", extra_headers: { [name]: "x" } });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "unsupported_parameter", param: `extra_headers.${name}` });
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("by naming a field in allowed_openai_params", async ({ billed, upstreams }) => {
    const gateway = await billed();
    const fields = { web_search_options: {}, allowed_openai_params: ["web_search_options"] };
    expect((await gateway.chat({ model: "plain", ...fields })).status).toBe(400);
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("with Gemini generation settings that override those of the chat request", async ({ billed, upstreams }) => {
    const gateway = await billed();
    for (const config of [
      { maxOutputTokens: 1e6 },
      { max_output_tokens: 1e6 },
      { candidateCount: 8 },
      { responseModalities: ["IMAGE"] },
      { routingConfig: {} },
    ]) {
      for (const name of ["generationConfig", "generation_config"]) {
        const answer = await gateway.chat({ model: "gemini", extra_body: { [name]: config } });
        expect(answer.status, JSON.stringify(config)).toBe(400);
        expect((await errorOf(answer)).param).toContain(`extra_body.${name}.`);
      }
    }
    expect(upstreams.alpha.requests).toEqual([]);
  });
});

describe("with billing on, the gateway forwards", () => {
  test("fields from the provider's API reference, functions, and harmless headers", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    const tools = [{ type: "function", function: { name: "f", parameters: { models: ["x"] } } }];
    const body = { model: "vllm", messages, top_k: 5, guided_json: { plugins: 1 }, chat_template_kwargs: {}, tools };
    const sent = { ...body, extra_body: { min_p: 0.1 }, extra_headers: { traceparent: "00-1-2-01" } };
    expect((await gateway.chat(sent)).status).toBe(200);
    const request = upstreams.alpha.requests.at(-1);
    expect(request?.json()).toEqual({ ...body, model: "local", min_p: 0.1 });
    expect(request?.headers.traceparent).toBe("00-1-2-01");
  });

  test("function tools in extra_body, and billable fields set to null or false", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    const tools = [{ type: "function", function: { name: "f" } }];
    expect((await gateway.chat({ model: "plain", extra_body: { tools } })).status).toBe(200);
    expect(upstreams.alpha.requests.at(-1)?.json()).toMatchObject({ tools });
    expect((await gateway.chat({ model: "plain", web_search_options: null, frobnicate: null })).status).toBe(200);
    expect((await gateway.chat({ model: "qwen", enable_search: false })).status).toBe(200);
  });

  test("fields and headers that the operator allows for a deployment", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    const fields = { frobnicate: 1, web_search_options: {}, extra_headers: { "X-Team": "blue" } };
    expect((await gateway.chat({ model: "extended", ...fields })).status).toBe(200);
    expect(upstreams.alpha.requests.at(-1)?.json()).toMatchObject({ frobnicate: 1, web_search_options: {} });
    expect(upstreams.alpha.requests.at(-1)?.headers["x-team"]).toBe("blue");
  });

  test("every field to a deployment with unknown_params: forward", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    expect((await gateway.chat({ model: "trusted", frobnicate: 1, extra_body: { models: ["x"] } })).status).toBe(200);
    expect(upstreams.alpha.requests.at(-1)?.json()).toMatchObject({ frobnicate: 1, models: ["x"] });
  });
});

describe("an unknown field with billing on", () => {
  test("is rejected with an error that names the field and the setting", async ({ billed }) => {
    const gateway = await billed();
    const error = await errorOf(await gateway.chat({ model: "plain", frobnicaté: 1 }));
    expect(error).toMatchObject({ code: "unsupported_parameter", param: "frobnicaté" });
    expect(error.message).toContain("'frobnicaté'");
    expect(error.message).toContain("gw_settings.unknown_params");
  });

  test("is dropped with unknown_params: drop, but a field that changes the charge is still rejected", async ({
    billed,
    upstreams,
  }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    expect((await gateway.chat({ model: "dropping", messages, frobnicate: 1, seed: 1 })).status).toBe(200);
    expect(upstreams.alpha.requests.at(-1)?.json()).toEqual({ model: "gpt-x", messages, seed: 1 });
    for (const fields of [{ web_search_options: {} }, { extra_body: { frobnicate: 1 } }]) {
      expect((await gateway.chat({ model: "dropping", ...fields })).status).toBe(400);
    }
  });

  test("is also rejected in a multipart form", async ({ billed, upstreams }) => {
    const gateway = await billed();
    const form = new FormData();
    form.set("model", "vllm");
    form.set("file", new Blob([Buffer.alloc(2_000)]), "a.wav");
    form.set("frobnicate", "1");
    const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { "x-gw-api-key": "sk-test-master" },
      body: form,
    });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "unsupported_parameter", param: "frobnicate" });
    expect(upstreams.alpha.requests).toEqual([]);
  });
});

describe("with billing on, the gateway still serves", () => {
  test("Claude Code, but omits beta features that could change the charge", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, wholeCached);
    const body = {
      model: "claude",
      max_tokens: 32_000,
      system: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }],
      messages,
      tools: [{ name: "Bash", description: "x", input_schema: { type: "object" } }],
      tool_choice: { type: "auto" },
      thinking: { type: "enabled", budget_tokens: 31_999 },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      output_config: { effort: "high" },
      metadata: { user_id: "u" },
      temperature: 1,
      stream: false,
    };
    const features = "claude-code-20250219,context-1m-2025-08-07,interleaved-thinking-2025-05-14,fast-mode-2026-02-01";
    const answer = await gateway.post("/v1/messages?beta=true", body, { "anthropic-beta": features });
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    const { headers } = await upstreams.alpha.ended(0);
    expect(headers["anthropic-beta"]).toBe("claude-code-20250219,interleaved-thinking-2025-05-14");
  });

  test("Codex and standard Responses API clients", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    const body = {
      model: "plain",
      instructions: "x",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }],
      tools: [{ type: "function", name: "shell", parameters: { type: "object" }, strict: false }],
      tool_choice: "auto",
      parallel_tool_calls: true,
      reasoning: { effort: "medium", summary: "auto" },
      store: false,
      stream: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "k",
      text: { verbosity: "low" },
      truncation: "disabled",
      safety_identifier: "s",
      client_metadata: { a: "b" },
    };
    const answer = await gateway.post("/v1/responses", body);
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    for (const fields of [{ reasoning: { mode: "pro" } }, { frobnicate: 1 }, { context_management: [{}] }]) {
      expect((await gateway.post("/v1/responses", { ...body, ...fields })).status, JSON.stringify(fields)).toBe(400);
    }
  });

  test("Messages API clients that use a chat model, unless they set billable chat fields in extra_body", async ({
    billed,
    upstreams,
  }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    const body = { model: "vllm", max_tokens: 5, messages, top_k: null, system: "x" };
    expect((await gateway.post("/v1/messages", { ...body, extra_body: { min_p: 0.1 } })).status).toBe(200);
    expect(upstreams.alpha.requests.at(-1)?.json()).toMatchObject({ min_p: 0.1 });
    for (const extra of [{ models: ["x"] }, { n: 5 }, { best_of: 5 }, { tools: [{ type: "web_search" }] }]) {
      const answer = await gateway.post("/v1/messages", { ...body, extra_body: extra });
      expect(answer.status, JSON.stringify(extra)).toBe(400);
    }
    expect(upstreams.alpha.requests).toHaveLength(1);
  });
});

describe("a reasoning budget", () => {
  test("cannot exceed the max output tokens that the hold covers", async ({ billed, upstreams }) => {
    const gateway = await billed();
    upstreams.alpha.replies(200, chatAnswer());
    const ask = (model: string, fields: object) => gateway.chat({ model, max_tokens: 100, ...fields });
    for (const [model, fields] of [
      ["qwen", { thinking_budget: 101 }],
      ["router", { reasoning: { max_tokens: 101 } }],
      ["vllm", { thinking: { type: "enabled", budget_tokens: 101 } }],
    ] as const) {
      expect((await ask(model, fields)).status, model).toBe(400);
    }
    expect(upstreams.alpha.requests).toEqual([]);
    expect((await ask("router", { reasoning: { max_tokens: 100 } })).status).toBe(200);
  });
});
