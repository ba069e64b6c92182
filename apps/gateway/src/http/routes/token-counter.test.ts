import { TokenCountResponse } from "@tollgate/contracts/utilities/token-count.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { describe, expect } from "vitest";
import type { TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const isCount = compileCheck(TokenCountResponse);
const hello = [{ role: "user", content: "Hello, how are you?" }];

async function count(gateway: TestGateway, body: Record<string, unknown>, query = ""): Promise<TokenCountResponse> {
  const answer = await gateway.post(`/utils/token_counter${query}`, body);
  const counted = (await answer.json()) as TokenCountResponse;
  expect(answer.status, JSON.stringify(counted)).toBe(200);
  expect(isCount(counted)).toBe(true);
  return counted;
}

/** Returns the header of a PNG image with this size. */
function png(width: number, height: number): string {
  const header = Buffer.alloc(24);
  header.write("\x89PNG\r\n\x1a\n", "latin1");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return `data:image/png;base64,${header.toString("base64")}`;
}

describe("a local token count", () => {
  test("adds three tokens for each message and for the reply, and one for a name", async ({ gateway }) => {
    // "user" has one token, and the sentence has six.
    expect(await count(gateway, { model: "gpt-4o", messages: hello })).toEqual({
      total_tokens: 3 + 1 + 6 + 3,
      request_model: "gpt-4o",
      model_used: "gpt-4o",
      tokenizer_type: "openai_tokenizer",
      original_response: null,
      error: false,
      error_message: null,
      status_code: null,
    });
    const named = [{ ...hello[0], name: "bob" }];
    expect((await count(gateway, { model: "gpt-4o", messages: named })).total_tokens).toBe(13 + 1 + 1);
  });

  test("uses the model's tokenizer, or an approximation if the tokenizer is unknown", async ({ gateway }) => {
    const prompt = "Привет, как дела? Сегодня хорошая погода.";
    const newer = await count(gateway, { model: "gpt-4o", prompt });
    const older = await count(gateway, { model: "gpt-4", prompt });
    const unknown = await count(gateway, { model: "unknown-model", prompt });
    expect(newer.total_tokens).toBeLessThan(older.total_tokens);
    expect(unknown.total_tokens).toBe(older.total_tokens);
    expect([newer, older, unknown].map(({ tokenizer_type: type }) => type)).toEqual([
      "openai_tokenizer",
      "openai_tokenizer",
      "approximate",
    ]);
  });

  test("supports other providers' formats, system instructions, and tools", async ({ gateway }) => {
    const text = "Hello, how are you?";
    const model = "gpt-4o";
    const contents = [{ role: "user", parts: [{ text }] }];
    expect((await count(gateway, { model, contents })).total_tokens).toBe(13);
    const withSystem = await count(gateway, { model, messages: hello, system: [{ type: "text", text: "Be brief." }] });
    expect(withSystem.total_tokens).toBe(13 + 3 + 1 + 3);
    const tools = [{ type: "function", function: { name: "f" } }];
    const bare = await count(gateway, { model, prompt: JSON.stringify(tools[0]) });
    expect((await count(gateway, { model, messages: hello, tools })).total_tokens).toBe(13 + bare.total_tokens);
  });

  test("counts an image by its tiles, or as 85 tokens with low detail", async ({ gateway }) => {
    const worth = async (url: string, detail?: string) => {
      const part = { type: "image_url", image_url: { url, ...(detail && { detail }) } };
      const answer = await count(gateway, { model: "gpt-4o", messages: [{ role: "user", content: [part] }] });
      return answer.total_tokens - (3 + 1 + 3);
    };
    expect(await worth(png(4_000, 3_000), "low")).toBe(85);
    expect(await worth(png(512, 512), "high")).toBe(85 + 170);
    expect(await worth(png(1_024, 1_024), "high")).toBe(85 + 170 * 4);
    expect(await worth(png(4_096, 8_192), "high")).toBe(85 + 170 * 6);
    expect(await worth(png(300, 200))).toBe(85);
    expect(await worth("https://elsewhere.example/picture.png")).toBe(85 + 170 * 4);
  });

  test("reports the provider model that the model group resolves to", async ({ gateway }) => {
    expect(await count(gateway, { model: "alpha", prompt: "hi" })).toMatchObject({
      request_model: "alpha",
      model_used: "upstream-1",
      tokenizer_type: "approximate",
    });
  });

  test("does not block other calls while it counts two megabytes", async ({ gateway }) => {
    // This call starts the counting thread, so that its startup isn't measured below.
    await count(gateway, { model: "gpt-4o", prompt: "warm" });
    const prompt = "The quick brown fox jumps over the lazy dog. ".repeat(45_000);
    let isCounted = false;
    const counting = count(gateway, { model: "gpt-4o", prompt }).then((counted) => {
      isCounted = true;
      return counted;
    });
    let slowestMs = 0;
    let calls = 0;
    while (!isCounted) {
      const startedAtMs = performance.now();
      expect((await gateway.chat({ model: "sim/echo" })).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - startedAtMs);
      calls += 1;
    }
    expect((await counting).total_tokens).toBeGreaterThan(400_000);
    expect(calls).toBeGreaterThan(3);
  });
});

describe("the provider's count", () => {
  test("is replaced by a local count, with the reason, if the provider does not support token counting", async ({
    gateway,
    upstreams,
  }) => {
    const counted = await count(gateway, { model: "alpha", messages: hello }, "?call_endpoint=true");
    expect(counted).toMatchObject({ tokenizer_type: "approximate", error: false, status_code: null });
    expect(counted.error_message).toContain("does not support token counting");
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("is used, or replaced by a local count with the reason if the provider fails", async ({ start, upstreams }) => {
    const gateway = await start({
      yaml: `
  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5, api_base: "${upstreams.beta.origin}", api_key: sk-ant-1 }, model_info: { id: claude-1 } }`,
    });
    upstreams.beta.replies(200, { input_tokens: 77 });
    const asked = { model: "claude", messages: hello, system: "Be brief." };
    expect(await count(gateway, asked, "?call_endpoint=true")).toEqual({
      total_tokens: 77,
      request_model: "claude",
      model_used: "claude-sonnet-4-5",
      tokenizer_type: "anthropic_api",
      original_response: { input_tokens: 77 },
      error: false,
      error_message: null,
      status_code: 200,
    });
    const sent = await upstreams.beta.request(0);
    expect(sent.path).toContain("/messages/count_tokens");
    expect(sent.json()).toMatchObject({ model: "claude-sonnet-4-5" });
    upstreams.beta.replies(529, { type: "error", error: { type: "overloaded_error", message: "busy" } });
    const local = await count(gateway, asked, "?call_endpoint=true");
    expect(local).toMatchObject({ tokenizer_type: "approximate", error: false, status_code: 529 });
    expect(local.total_tokens).not.toBe(77);
    expect(local.error_message).not.toBeNull();
    expect(gateway.records).toEqual([]);
  });

  test("is not available with disable_token_counter", async ({ start }) => {
    const gateway = await start({ yaml: "gw_settings: { disable_token_counter: true }" });
    const answer = await gateway.post("/utils/token_counter?call_endpoint=1", { model: "alpha", prompt: "hi" });
    expect(answer.status).toBe(503);
    expect(await errorOf(answer)).toMatchObject({ code: "token_counting_disabled" });
    expect((await gateway.post("/utils/token_counter", { model: "alpha", prompt: "hi" })).status).toBe(200);
  });
});

describe("a token count request is rejected", () => {
  const refusals: readonly [string, unknown, number, string][] = [
    ["without any input", { model: "gpt-4o", tools: [] }, 400, "invalid_request"],
    ["without a model", { prompt: "hi" }, 422, "validation_error"],
    ["for invalid JSON", "{", 422, "validation_error"],
    [
      "for JSON that is nested too deeply",
      `{"model":"m","prompt":"p","x":${"[".repeat(100)}${"]".repeat(100)}}`,
      422,
      "validation_error",
    ],
    ["for a repeated member", '{"model":"m","model":"n","prompt":"p"}', 422, "validation_error"],
    ["for a body over two megabytes", { model: "m", prompt: "x".repeat(2 * 1024 * 1024) }, 413, "request_too_large"],
  ];
  for (const [name, body, status, code] of refusals) {
    test(name, async ({ gateway }) => {
      const answer = await gateway.post("/utils/token_counter", body);
      expect(answer.status).toBe(status);
      const text = await answer.text();
      expect(JSON.parse(text).error).toMatchObject({ code });
      if (name.startsWith("for JSON")) {
        expect(JSON.parse(text)).toMatchObject({ detail: [{ type: "json_invalid" }], error: { param: null } });
      }
    });
  }

  test("for an unsupported media type, an invalid key, or a model that the key has no access to", async ({
    start,
    database,
  }) => {
    const platform = database.connect("tollgate_platform");
    const { apiKey } = await addTenant(platform, { key: { models: ["beta"] } });
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    const post = (headers: Record<string, string>, body: unknown) =>
      gateway.post("/utils/token_counter", body, headers);
    expect((await post({ "content-type": "text/plain" }, "hi")).status).toBe(415);
    expect((await post({ "x-gw-api-key": "sk-unknown" }, "{")).status).toBe(401);
    const refused = await post({ "x-gw-api-key": apiKey }, { model: "alpha", prompt: "hi" });
    expect(refused.status).toBe(403);
    expect((await post({ "x-gw-api-key": apiKey }, { model: "beta", prompt: "hi" })).status).toBe(200);
  });
});
