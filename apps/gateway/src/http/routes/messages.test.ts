import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import {
  errorBody,
  overloadedEvents,
  textEvents,
  thinkingEvents,
  toolEvents,
  wholeCached,
} from "../../providers/anthropic/recorded.fixture.ts";
import { test, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

const asked = { max_tokens: 50, messages: [{ role: "user", content: "Grüße, 世界" }] };
const claude = (origin: string) =>
  `  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5, api_base: "${origin}", api_key: ${UPSTREAM_KEY} } }`;

/** Returns the events of a streamed message. */
function eventsOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.includes("data: "))
    .map((frame) => {
      const [name, data] = frame.split("\n");
      const event = JSON.parse((data as string).slice("data: ".length));
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });
}

describe("an Anthropic model", () => {
  test("receives the caller's bytes with the upstream's model name and the caller's beta features", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, wholeCached);
    const rest = `"max_tokens": 50,  "odd": {"k": [1, 2]}, "metadata": {"user_id": "u-1"}, "messages": [{"role":"user","content":[{"type":"novel_block","x":"ü\\u00fc"}]}]`;
    const answer = await fetch(`${gateway.url}/v1/messages?beta=true`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": "sk-test-master",
        "anthropic-version": "2023-01-01",
        "anthropic-beta": "interleaved-thinking-2025-05-14,claude-code-20250219",
        "x-stainless-lang": "js",
      },
      body: `{"model": "claude", "tags": ["a"], ${rest}}`,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ...wholeCached, model: "claude" });
    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe("/v1/messages");
    expect(received.body.toString()).toBe(`{"model":"claude-sonnet-4-5",  ${rest}}`);
    expect(received.headers).toMatchObject({
      "x-api-key": UPSTREAM_KEY,
      "anthropic-version": "2023-01-01",
      "anthropic-beta": "interleaved-thinking-2025-05-14,claude-code-20250219",
    });
    expect(received.headers["x-stainless-lang"]).toBeUndefined();
    // Prices are $3 and $15 per million tokens, $3.75 for cache writes, and $0.30 for cache reads.
    expect(gateway.records[0]).toMatchObject({
      cost: 3n * 3_000n + 200n * 3_750n + 5_000n * 300n + 6n * 15_000n,
      usage: { inputTokens: 3, cacheWriteTokens: 200, cacheReadTokens: 5_000, outputTokens: 6, source: "reported" },
    });
  });

  test.for([textEvents, toolEvents, thinkingEvents])(
    "streams its events unchanged, except for the model name",
    async (events, { start, upstreams }) => {
      const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
      const bytes = Buffer.from(events.join(""));
      // The stream is split every seven bytes, to detect a reader that parses too early.
      upstreams.alpha.streams(
        Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7)),
      );
      const answer = await gateway.post("/v1/messages", { ...asked, model: "claude", stream: true });
      expect(await answer.text()).toBe(events.join("").replace("claude-sonnet-4-5-20250929", "claude"));
      expect(gateway.records[0]?.usage).toMatchObject({ inputTokens: 12, source: "reported" });
    },
  );

  test("rejects unpriced features with an error in Anthropic's format", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
    const refused = [
      [{ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, "tools"],
      [{ container: "c-1" }, "container"],
      // Compaction generates a second response from the whole prompt, and no limit in the request covers it.
      [{ context_management: { edits: [{ type: "compact_20260112" }] } }, "context_management"],
      [{ system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1d" } }] }, "ttl"],
      [{ messages: [{ role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }] }, "file"],
      // A tool can also be defined in the middle of a conversation.
      [
        {
          messages: [
            {
              role: "user",
              content: [
                {
                  type: "tool_addition",
                  tool: { type: "tool_definition", definition: { type: "web_search_20260318", name: "w" } },
                },
              ],
            },
          ],
        },
        "messages.0.content.0",
      ],
    ] as const;
    for (const [fields, word] of refused) {
      const answer = await gateway.post("/messages", { ...asked, ...fields, model: "claude" });
      const body = (await answer.json()) as { error: { type: string } };
      expect([answer.status, body.error.type]).toEqual([400, "invalid_request_error"]);
      expect(JSON.stringify(body)).toContain(word);
    }
    // The field must be detected even if its name is written with escapes.
    const escaped = `{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","\\u0074tl":"1d"}}]}]}`;
    const headers = { "content-type": "application/json", "x-api-key": "sk-test-master" };
    const answer = await fetch(`${gateway.url}/v1/messages`, { method: "POST", headers, body: escaped });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("cache_control.ttl")]);
    expect(upstreams.alpha.requests).toHaveLength(0);
    upstreams.alpha.replies(200, wholeCached);
    const clearing = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };
    expect((await gateway.post("/messages", { ...asked, ...clearing, model: "claude" })).status).toBe(200);
  });

  test.for([-1_000, 0, 0.5, "many"])(
    "is charged for one response even if the request has an 'n' field, which the API does not define: %s",
    async (n, { start, upstreams }) => {
      const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
      upstreams.alpha.replies(200, wholeCached);
      const answer = await gateway.post("/v1/messages", { ...asked, model: "claude", n });
      expect(answer.status).toBe(200);
      expect(gateway.records[0]?.usage).toMatchObject({ outputTokens: 6, source: "reported" });
    },
  );

  test("does not receive unsigned thinking blocks", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, wholeCached);
    const signed = { type: "thinking", thinking: "ü", signature: "sig" };
    const unsigned = { type: "thinking", thinking: "hm", signature: "" };
    const messages = [
      { role: "user", content: "ü" },
      { role: "assistant", content: [unsigned] },
      { role: "assistant", content: [unsigned, signed, { type: "text", text: "so" }] },
      ...asked.messages,
    ];
    const answer = await gateway.post("/v1/messages", { ...asked, model: "claude", messages });
    expect(answer.headers.get("request-id")).toBe(answer.headers.get("x-gw-call-id"));
    expect((await upstreams.alpha.ended(0)).json()).toMatchObject({
      messages: [
        { role: "user", content: "ü" },
        { role: "assistant", content: [signed, { type: "text", text: "so" }] },
        ...asked.messages,
      ],
    });
  });

  test("reports a failure inside a stream as an error event", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
    upstreams.alpha.streams(overloadedEvents);
    const answer = await gateway.post("/v1/messages", { ...asked, model: "claude", stream: true });
    const events = eventsOf(await answer.text());
    expect(events.at(-1)).toMatchObject({
      type: "error",
      error: { type: "overloaded_error", details: { error_code: "service_unavailable" } },
      request_id: answer.headers.get("x-gw-call-id"),
    });
  });
});

describe("a chat model", () => {
  test("receives a chat request, and its response is converted to a message", async ({ gateway, upstreams }) => {
    const message = {
      role: "assistant",
      content: "Grüße",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Z\\u00fcrich"}' } },
      ],
    };
    upstreams.alpha.replies(200, {
      ...chatAnswer({ inputTokens: 30, outputTokens: 9 }),
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage: {
        prompt_tokens: 30,
        completion_tokens: 9,
        total_tokens: 39,
        prompt_tokens_details: { cached_tokens: 10 },
      },
    });
    const answer = await gateway.post("/v1/messages", {
      model: "alpha",
      max_tokens: 100,
      system: [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: "Grüße, 世界" }],
      tools: [
        { name: "weather", description: "of a city", input_schema: { type: "object", properties: { city: {} } } },
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      metadata: { user_id: "u-1" },
      thinking: { type: "adaptive" },
      temperature: 1,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      id: "msg_fake",
      type: "message",
      role: "assistant",
      model: "alpha",
      content: [
        { type: "text", text: "Grüße" },
        { type: "tool_use", id: "call_1", name: "weather", input: { city: "Zürich" } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 20, output_tokens: 9, cache_read_input_tokens: 10, cache_creation_input_tokens: 0 },
    });
    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe("/v1/chat/completions");
    expect(received.json()).toEqual({
      model: "upstream-1",
      messages: [
        { role: "system", content: [{ type: "text", text: "be brief" }] },
        { role: "user", content: "Grüße, 世界" },
      ],
      max_tokens: 100,
      temperature: 1,
      stop: ["END"],
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "of a city",
            parameters: { type: "object", properties: { city: {} } },
          },
        },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
      user: "u-1",
      prompt_cache_key: "u-1",
    });
    expect(gateway.records[0]).toMatchObject({ usage: { inputTokens: 20, cacheReadTokens: 10, outputTokens: 9 } });
  });

  test("streams message events with usage", async ({ gateway, upstreams }) => {
    const frames = chatFrames({ content: "Grüße 世界", inputTokens: 5, outputTokens: 3, includeUsage: true });
    upstreams.alpha.streams([Buffer.from(frames.join(""))]);
    const answer = await gateway.post("/v1/messages", { ...asked, model: "alpha", stream: true });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const events = eventsOf(await answer.text());
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[0]).toMatchObject({ message: { id: "msg_fake", model: "alpha", content: [] } });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: 5, output_tokens: 3 },
    });
    const texts = events.map((event) => (event.delta as { text?: string } | undefined)?.text ?? "");
    expect(texts.join("")).toBe("Grüße 世界");
    expect((await upstreams.alpha.ended(0)).json()).toMatchObject({ stream_options: { include_usage: true } });
    expect(gateway.records[0]?.usage).toMatchObject({ inputTokens: 5, outputTokens: 3, source: "reported" });
  });
});

describe("fields merged into the body", () => {
  test.for(["n", "max_completion_tokens", "max_tokens", "messages", "stream_options"])(
    "cannot include a field that changes the amount of output: %s",
    async (name, { gateway, upstreams }) => {
      const extra = { extra_body: { [name]: 128 }, model: "alpha" };
      const answers = [
        await gateway.post("/v1/messages", { ...asked, ...extra }),
        await gateway.post("/v1/responses", { input: "hi", max_output_tokens: 50, ...extra }),
        await gateway.post("/v1/completions", { prompt: "hi", max_tokens: 50, ...extra }),
      ];
      for (const answer of answers) {
        expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`extra_body.${name}`)]);
      }
      expect(upstreams.alpha.requests).toHaveLength(0);
    },
  );
});

describe("an error", () => {
  test("always has Anthropic's error format", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
    upstreams.alpha.replies(400, errorBody("invalid_request_error", "max_tokens: too many"));
    upstreams.beta.replies(429, { error: { message: "slow down", type: "rate_limit_error" } });
    const ask = (fields: object, headers = {}) => gateway.post("/v1/messages", { ...asked, ...fields }, headers);
    const cases = [
      [await ask({ model: "claude" }), 400, "invalid_request_error"],
      [await ask({ model: "beta" }), 429, "rate_limit_error"],
      [await ask({ model: "unknown" }), 404, "not_found_error"],
      [await ask({ model: "claude", max_tokens: "many" }), 422, "invalid_request_error"],
      [await ask({ model: "alpha", top_k: 4 }), 400, "invalid_request_error"],
      [await fetch(`${gateway.url}/v1/messages`, { method: "POST", body: "{}" }), 401, "authentication_error"],
    ] as const;
    for (const [answer, status, type] of cases) {
      const body = (await answer.json()) as { error: { message: string } };
      expect([answer.status, body]).toMatchObject([
        status,
        { type: "error", error: { type }, request_id: answer.headers.get("x-gw-call-id") },
      ]);
      expect(body.error.message).not.toBe("");
    }
  });
});

describe("a token count", () => {
  test("is free and comes from the provider, or from the gateway if the provider can't count tokens", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: claude(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, { input_tokens: 321 });
    const body = { messages: asked.messages, system: "be brief", thinking: { type: "adaptive" } };
    const theirs = await gateway.post("/v1/messages/count_tokens", { ...body, model: "claude" });
    expect([theirs.status, await theirs.json()]).toEqual([200, { input_tokens: 321 }]);
    const received = await upstreams.alpha.ended(0);
    expect([received.path, received.json()]).toEqual([
      "/v1/messages/count_tokens",
      { ...body, model: "claude-sonnet-4-5" },
    ]);
    const ours = await gateway.post("/messages/count_tokens", { ...body, model: "beta" });
    expect(await ours.json()).toEqual({ input_tokens: expect.any(Number) });
    upstreams.alpha.replies(529, errorBody("overloaded_error", "Overloaded"));
    const fallen = await gateway.post("/v1/messages/count_tokens", { ...body, model: "claude" });
    expect([fallen.status, await fallen.json()]).toEqual([200, { input_tokens: expect.any(Number) }]);
    const wrong = await gateway.post("/v1/messages/count_tokens", { model: "claude" });
    expect([wrong.status, await wrong.json()]).toMatchObject([422, { type: "error" }]);
    expect(gateway.records).toEqual([]);
  });
});
