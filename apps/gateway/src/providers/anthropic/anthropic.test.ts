import { reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { chunksOf, errorOf, test as gateways, readerOf } from "../../http/routes/chat-gateway.fixture.ts";
import {
  errorBody,
  overloadedEvents,
  textEvents,
  toolEvents,
  wholeCached,
  wholeText,
  wholeTools,
} from "./recorded.fixture.ts";

const PRICES =
  "input_cost_per_token: 0.000003, output_cost_per_token: 0.000015, cache_read_input_token_cost: 0.0000003, cache_creation_input_token_cost: 0.00000375";

/** Extends `test` with a gateway whose group `claude` is served by a fake Anthropic upstream. */
const test = gateways.extend("gateway", async ({ start, upstreams }) => {
  const params = `model: anthropic/claude-sonnet-4-5, api_base: "${upstreams.alpha.origin}", api_key: sk-ant-1, ${PRICES}`;
  const strict = `model: anthropic/claude-opus-4-7, api_base: "${upstreams.alpha.origin}", api_key: sk-ant-1`;
  return start({
    yaml: `
  - { model_name: claude, litellm_params: { ${params} } }
  - { model_name: brief, litellm_params: { ${params}, on_disconnect: abort } }
  - { model_name: opus, litellm_params: { ${strict} } }
router_settings: { num_retries: 0 }`,
  });
});

const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];

describe("Anthropic chat", () => {
  test("translates the request and the response, and charges for the usage that Anthropic reports", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, wholeCached, { "anthropic-ratelimit-requests-remaining": "9" });
    const answer = await gateway.chat({ model: "claude", messages: [{ role: "user", content: "Grüße" }] });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      model: "claude",
      choices: [{ message: { content: "Grüße, 世界 😀" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5_203, completion_tokens: 6 },
    });
    // 3 · 3 + 5000 · 0.3 + 200 · 3.75 + 6 · 15 µUSD.
    expect(answer.headers.get("x-gw-response-cost")).toBe("0.002349");
    expect(gateway.records[0]?.usage).toMatchObject({ inputTokens: 3, cacheReadTokens: 5_000, cacheWriteTokens: 200 });

    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe("/v1/messages");
    expect(received.headers).toMatchObject({ "x-api-key": "sk-ant-1", "anthropic-version": "2023-06-01" });
    expect(received.json()).toEqual({
      model: "claude-sonnet-4-5",
      // The model's maximum output tokens in the catalog.
      max_tokens: 64_000,
      messages: [{ role: "user", content: [{ type: "text", text: "Grüße" }] }],
    });
  });

  test("streams with usage if requested, and charges for the stream", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(textEvents);
    const answer = await gateway.chat({ model: "claude", stream: true, stream_options: { include_usage: true } });
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const { chunks, isDone } = chunksOf(await answer.text());
    expect(isDone).toBe(true);
    expect(chunks[0]).toMatchObject({ model: "claude", choices: [{ delta: { role: "assistant", content: "" } }] });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 9 } });
    expect(gateway.records[0]).toMatchObject({
      usage: { inputTokens: 12, outputTokens: 9, source: "reported" },
      cost: 171_000n,
      isStream: true,
    });
  });

  test("sends tool calls to the client and tool results to the provider", async ({ gateway, upstreams }) => {
    upstreams.alpha.behaves(reply(200, wholeTools), reply(200, wholeText));
    const asked = { role: "user", content: "weather?" };
    const first = await gateway.chat({ model: "claude", messages: [asked], tools });
    const { choices } = (await first.json()) as { choices: { message: { tool_calls: { id: string }[] } }[] };
    const message = choices[0]?.message;
    const results = (message?.tool_calls ?? []).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "rain" }));
    const second = await gateway.chat({ model: "claude", messages: [asked, message, ...results], tools });
    expect(second.status).toBe(200);
    expect((await upstreams.alpha.ended(1)).json()).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", content: wholeTools.content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_01A", content: "rain" },
            { type: "tool_result", tool_use_id: "toolu_01B", content: "rain" },
          ],
        },
      ],
    });
  });

  test("returns function_call for legacy functions, with and without streaming", async ({ gateway, upstreams }) => {
    const fields = { model: "claude", functions: [{ name: "weather" }] };
    upstreams.alpha.behaves(reply(200, wholeTools), streamFrames(toolEvents));
    expect(await (await gateway.chat(fields)).json()).toMatchObject({
      choices: [{ finish_reason: "function_call", message: { function_call: { name: "weather" } } }],
    });
    const { chunks } = chunksOf(await (await gateway.chat({ ...fields, stream: true })).text());
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "function_call" }] });
  });

  test("charges for the partial output and the reported prompt tokens if the client disconnects", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.streams(toolEvents, { hangAfterFrames: 3 });
    const leaving = new AbortController();
    const received = await readerOf(gateway.chat({ model: "brief", stream: true }), leaving);
    await waitFor("the first words", () => received.text.includes("I look it up."));
    leaving.abort();
    await waitFor("the record of the call", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({
      status: "client_disconnect",
      usage: { inputTokens: 12, cacheReadTokens: 400, source: "estimated" },
    });
    expect(gateway.records[0]?.usage.outputTokens).toBeGreaterThan(0);
  });
});

describe("Anthropic failure", () => {
  test.for<[number, string, string, number, string]>([
    [400, "invalid_request_error", "prompt is too long: 2 tokens > 1 maximum", 400, "context_length_exceeded"],
    [401, "authentication_error", "invalid x-api-key", 500, "internal_error"],
    [429, "rate_limit_error", "slow down", 429, "upstream_rate_limit"],
    [529, "overloaded_error", "Overloaded", 503, "service_unavailable"],
  ])("maps %i %s to a gateway error", async ([upstreamStatus, type, message, status, code], { gateway, upstreams }) => {
    upstreams.alpha.replies(upstreamStatus, errorBody(type, message), { "retry-after": "3" });
    const answer = await gateway.chat({ model: "claude" });
    expect(answer.status).toBe(status);
    expect(await errorOf(answer)).toMatchObject({ code });
  });

  test("ends the stream with an error and without [DONE] if it occurs during a stream", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.streams(overloadedEvents);
    const { chunks, isDone, error } = chunksOf(await (await gateway.chat({ model: "claude", stream: true })).text());
    expect(chunks.at(-1)).toMatchObject({ choices: [{ delta: { content: "Hel" } }] });
    expect([isDone, error]).toEqual([false, expect.objectContaining({ code: "service_unavailable" })]);
    expect(gateway.records[0]).toMatchObject({ status: "failure", usage: { inputTokens: 12 } });
  });

  test("is returned with its status if it occurs before the first output", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(overloadedEvents.slice(-1));
    const answer = await gateway.chat({ model: "claude", stream: true });
    expect([answer.status, (await errorOf(answer)).code]).toEqual([503, "service_unavailable"]);
  });
});

describe("parameter that the Anthropic model doesn't support", () => {
  test.for([
    ["claude", { n: 2 }],
    ["claude", { logprobs: true }],
    ["claude", { seed: 1 }],
    ["claude", { presence_penalty: 1 }],
    ["claude", { logit_bias: { "1": 1 } }],
    ["opus", { temperature: 0.5 }],
    ["claude", { temperature: 1.5 }],
  ] as const)(
    "is rejected before any request is sent, and omitted with drop_params: %s %j",
    async ([model, fields], { gateway, upstreams }) => {
      upstreams.alpha.replies(200, wholeText);
      const refused = await gateway.chat({ model, ...fields });
      expect(refused.status).toBe(400);
      expect(await errorOf(refused)).toMatchObject({ code: "unsupported_parameter", param: Object.keys(fields)[0] });
      expect(upstreams.alpha.requests).toHaveLength(0);
      expect((await gateway.chat({ model, ...fields, drop_params: true })).status).toBe(200);
      expect((await upstreams.alpha.ended(0)).json()).not.toMatchObject(fields);
    },
  );
});
