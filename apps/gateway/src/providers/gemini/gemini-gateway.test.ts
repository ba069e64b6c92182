import { replyRaw } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect } from "vitest";
import { test as base, chunksOf, errorOf, type StartOptions } from "../../http/routes/chat-gateway.fixture.ts";
import { MASTER_KEY } from "../../test-gateway.fixture.ts";
import { recorded, streams } from "./gemini-answers.fixture.ts";

const KEY = "AIzaSyD-0123456789abcdefghij";

/** Extends `test` with a gateway whose group `flash` is a Google model, served by a fake upstream. */
const test = base.extend("google", async ({ start, upstreams }) => {
  const prices =
    "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004, cache_read_input_token_cost: 0.0000001";
  const target = `api_base: "${upstreams.beta.origin}/v1beta", api_key: ${KEY}`;
  const options: StartOptions = {
    yaml: `
  - { model_name: flash, litellm_params: { model: gemini/gemini-2.5-flash, ${target}, ${prices} }, model_info: { id: flash-1 } }
  - { model_name: vectors, litellm_params: { model: gemini/gemini-embedding-001, ${target}, input_cost_per_token: 0.000001 }, model_info: { mode: embedding } }
  - { model_name: "google/*", litellm_params: { model: "gemini/*", ${target}, ${prices} } }
`,
  };
  return start(options);
});
const flash = { model: "flash" };
const events = { "content-type": "text/event-stream" };

describe("Gemini model", () => {
  test("returns a chat response, and the call is charged for the reported usage", async ({ google, upstreams }) => {
    upstreams.beta.replies(200, recorded.thoughts);
    const answer = await google.chat({ ...flash, max_tokens: 200 });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      object: "chat.completion",
      model: "flash",
      choices: [{ message: { role: "assistant", content: "Forty-two." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_230, completion_tokens: 94, total_tokens: 1_324 },
    });
    const { path, headers } = await upstreams.beta.ended(0);
    expect(path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
    expect(headers["x-goog-api-key"]).toBe(KEY);
    expect(JSON.stringify(headers)).not.toContain(MASTER_KEY);
    // 206 uncached input tokens, 1,024 cached tokens, and 94 output tokens.
    const cost = 206_000n + 102_400n + 376_000n;
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe(String(cost));
    expect(google.records).toMatchObject([
      {
        provider: "gemini",
        modelGroup: "flash",
        status: "success",
        cost,
        usage: { inputTokens: 206, reasoningTokens: 90 },
      },
    ]);
  });

  test("streams its response, and the call is charged once, whether or not the client requests usage", async ({
    google,
    upstreams,
  }) => {
    upstreams.beta.streams([streams.text], { headers: events });
    const unasked = await (await google.chat({ ...flash, stream: true })).text();
    expect(unasked).not.toContain("usage");
    const asked = await google.chat({ ...flash, stream: true, stream_options: { include_usage: true } });
    const { chunks, isDone } = chunksOf(await asked.text());
    expect(isDone).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 6 } });
    expect((await upstreams.beta.ended(0)).path).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    expect(google.records.map(({ cost, isStream }) => ({ cost, isStream }))).toEqual([
      { cost: 35_000n, isStream: true },
      { cost: 35_000n, isStream: true },
    ]);
  });

  test("receives its earlier tool calls with their thought signatures", async ({ google, upstreams }) => {
    const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
    upstreams.beta.replies(200, recorded.calls);
    const first = (await (await google.chat({ ...flash, tools })).json()) as Chat;
    const { message } = first.choices[0];
    expect(message.tool_calls).toHaveLength(2);
    upstreams.beta.replies(200, recorded.text);
    const results = message.tool_calls.map(({ id }, index) => ({
      role: "tool",
      tool_call_id: id,
      content: `${index} °C`,
    }));
    const messages = [{ role: "user", content: "hello" }, message, ...results];
    expect((await google.chat({ ...flash, tools, messages })).status).toBe(200);
    const { contents } = (await upstreams.beta.ended(1)).json() as { contents: { parts: object[] }[] };
    expect(contents[1]?.parts).toEqual([
      {
        functionCall: { id: "call_callsAnswer_0", name: "weather", args: { city: "Zürich" } },
        thoughtSignature: "c2lnbmF0dXJl",
      },
      { functionCall: { id: "call_callsAnswer_1", name: "weather", args: { city: "Bern" } } },
    ]);
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { id: "call_callsAnswer_0", name: "weather", response: { result: "0 °C" } } },
      { functionResponse: { id: "call_callsAnswer_1", name: "weather", response: { result: "1 °C" } } },
    ]);
  });

  test("never receives unsupported parameters, and its name is escaped in the path", async ({ google, upstreams }) => {
    upstreams.beta.replies(200, recorded.text);
    for (const [param, value] of [
      ["logit_bias", { 1: 2 }],
      ["frequency_penalty", 1],
      ["verbosity", "low"],
    ] as const) {
      const refused = await google.chat({ ...flash, [param]: value });
      expect(refused.status).toBe(400);
      expect(await errorOf(refused)).toMatchObject({ param });
    }
    const dropped = { frequency_penalty: 1, drop_params: true, store: true, metadata: { a: "b" } };
    expect((await google.chat({ ...flash, ...dropped })).status).toBe(200);
    expect(await google.chat({ model: "google/../../x?a=b" })).toMatchObject({ status: 200 });
    expect((await upstreams.beta.ended(1)).path).toBe("/v1beta/models/..%2F..%2Fx%3Fa%3Db:generateContent");
    expect(upstreams.beta.requests[0]?.body.toString()).not.toMatch(/enalty|store|metadata/);
  });

  test("creates embeddings", async ({ google, upstreams }) => {
    upstreams.beta.replies(200, { embeddings: [{ values: [0.5, 1] }], usageMetadata: { promptTokenCount: 4 } });
    const answer = await google.post("/v1/embeddings", { model: "vectors", input: "hello", encoding_format: "float" });
    expect(await answer.json()).toMatchObject({ model: "vectors", data: [{ embedding: [0.5, 1] }] });
    expect((await upstreams.beta.ended(0)).path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
    expect(google.records).toMatchObject([{ cost: 4_000n, usage: { inputTokens: 4, outputTokens: 0 } }]);
  });
});

describe("Gemini failure", () => {
  const error = (code: number, message: string, status: string, details: object[] = []) => ({
    error: { code, message, status, details },
  });

  test.for<[string, number, object, number, string]>([
    [
      "a prompt that is too long",
      400,
      error(400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", "INVALID_ARGUMENT"),
      400,
      "ContextWindowExceededError",
    ],
    [
      "an invalid API key",
      400,
      error(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", [
        { reason: "API_KEY_INVALID" },
      ]),
      500,
      "InternalServerError",
    ],
    ["an unknown model", 404, error(404, "models/x is not found", "NOT_FOUND"), 404, "NotFoundError"],
    ["a blocked prompt", 200, recorded.blocked, 400, "ContentPolicyViolationError"],
    ["a response without content", 200, { hello: 1 }, 502, "BadGatewayError"],
  ])(
    "%s is reported as a gateway error and isn't charged",
    async ([, status, body, expected, name], { google, upstreams }) => {
      upstreams.beta.replies(status, body);
      const answer = await google.chat({ ...flash, num_retries: 0 });
      expect(answer.status).toBe(expected);
      expect(answer.headers.get("x-gw-error-name")).toBe(name);
      expect(google.records.every(({ cost }) => cost === 0n)).toBe(true);
    },
  );

  test("is reported in the stream if it occurs during streaming, and the partial output is charged", async ({
    google,
    upstreams,
  }) => {
    upstreams.beta.streams([streams.failing], { headers: events });
    const { chunks, isDone, error: reported } = chunksOf(await (await google.chat({ ...flash, stream: true })).text());
    expect(chunks).toMatchObject([{ choices: [{ delta: { role: "assistant", content: "half" } }] }]);
    expect(isDone).toBe(false);
    expect(reported).toMatchObject({ type: "server_error" });
    expect(google.records).toMatchObject([{ status: "failure", usage: { inputTokens: 11, outputTokens: 1 } }]);
  });

  test("is returned as a JSON error if it occurs before the first frame", async ({ google, upstreams }) => {
    upstreams.beta.streams([streams.blocked], { headers: events });
    const answer = await google.chat({ ...flash, stream: true, num_retries: 0 });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toContain("application/json");
    upstreams.beta.behaves(replyRaw("not HTTP", { thenClose: true }));
    expect((await google.chat({ ...flash, stream: true, num_retries: 0 })).status).toBeGreaterThanOrEqual(500);
  });
});

interface Chat {
  readonly choices: [{ readonly message: { readonly tool_calls: { readonly id: string }[] } }];
}
