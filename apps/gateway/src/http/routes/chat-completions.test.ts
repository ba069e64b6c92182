import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { VERSION } from "../../call/version.ts";
import { test } from "./chat-gateway.fixture.ts";

const hello = [{ role: "user", content: "hello" }];

describe("a call", () => {
  test("returns the upstream's response with the caller's model name", async ({ gateway, upstreams }) => {
    const upstream = JSON.stringify(chatAnswer({ model: "upstream-1", content: "Grüße, 世界 😀" }));
    upstreams.alpha.replies(200, upstream);
    const answer = await gateway.chat({ model: "alpha" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.text()).toBe(upstream.replace('"upstream-1"', '"alpha"'));
  });

  test("is recorded exactly once, with its usage and cost", async ({ start, upstreams }) => {
    const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004";
    const gateway = await start({
      yaml: `  - { model_name: priced, litellm_params: { model: openai/x, api_base: "${upstreams.beta.origin}", ${prices} } }`,
    });
    upstreams.beta.replies(200, chatAnswer({ inputTokens: 100, outputTokens: 7 }));
    const answer = await gateway.chat({ model: "priced" });
    expect(answer.headers.get("x-gw-response-cost")).toBe("0.000128");
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("128000");
    expect(gateway.records).toEqual([
      expect.objectContaining({
        callId: answer.headers.get("x-gw-call-id"),
        status: "success",
        statusCode: 200,
        errorCode: null,
        modelGroup: "priced",
        provider: "openai",
        usage: expect.objectContaining({ inputTokens: 100, outputTokens: 7, source: "reported" }),
        cost: 128_000n,
        isStream: false,
      }),
    ]);
  });

  test("has its usage estimated, and marked as estimated, when the upstream reports no usage", async ({
    gateway,
    upstreams,
  }) => {
    const { usage: _, ...bare } = chatAnswer({ content: "word ".repeat(40) });
    upstreams.alpha.replies(200, bare);
    expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
    const usage = gateway.records[0]?.usage;
    expect(usage?.source).toBe("estimated");
    expect(usage?.outputTokens).toBeGreaterThanOrEqual(40);
  });

  test("sends the deployment's credential upstream, but none of the caller's headers", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, chatAnswer());
    await gateway.chat({ model: "alpha" }, { cookie: "session=1", "x-secret": "mine", "openai-organization": "org-1" });
    const { headers, path } = await upstreams.alpha.ended(0);
    expect(path).toBe("/v1/chat/completions");
    expect(headers).toEqual({
      host: expect.any(String),
      connection: "keep-alive",
      "content-type": "application/json",
      "content-length": expect.any(String),
      "accept-encoding": "identity",
      authorization: "Bearer sk-upstream-0123456789",
      "x-gw-hops": "1",
    });
  });

  test("can use a model name that only a wildcard matches", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer());
    const answer = await gateway.chat({ model: "fake/some/model" });
    expect(await answer.json()).toMatchObject({ model: "fake/some/model" });
    expect((await upstreams.alpha.ended(0)).json()).toMatchObject({ model: "some/model" });
    expect(answer.headers.get("x-gw-model-id")).toBe("fake-1");
  });

  test.for([
    ["non-ASCII characters", "naïve-世界😀", JSON.stringify],
    ["escaped non-ASCII characters", "naïve-世界😀", escaped],
    ["line breaks", "a\r\nb: c", JSON.stringify],
  ] as const)(
    "can use a model name that is not valid in a header: %s",
    async ([, name, write], { gateway, upstreams }) => {
      upstreams.alpha.replies(200, chatAnswer());
      const answer = await gateway.post(
        "/v1/chat/completions",
        `{"model":${write(`fake/${name}`)},"messages":[{"role":"user","content":"x"}]}`,
      );
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ model: `fake/${name}` });
      expect((await upstreams.alpha.ended(0)).json()).toMatchObject({ model: name });
      expect(answer.headers.get("x-gw-model-group")).toBe(encodeURI(`fake/${name}`));
    },
  );
});

describe("the response headers", () => {
  test("contain the deployment, the cost, and the duration", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer(), {
      "x-request-id": "up-1",
      "openai-processing-ms": "7",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-plan": "gold",
      "set-cookie": "a=b",
      server: "fake",
      "x-internal": "secret",
    });
    const { headers } = await gateway.chat({ model: "alpha" });
    const shown = Object.fromEntries(headers);
    expect(shown).toMatchObject({
      "x-gw-model-id": "alpha-1",
      "x-gw-model-group": "alpha",
      "x-gw-version": VERSION,
      "x-gw-attempted-retries": "0",
      "x-gw-attempted-fallbacks": "0",
      "x-gw-response-cost-nano-usd": expect.stringMatching(/^\d+$/),
      "x-gw-response-duration-ms": expect.stringMatching(/^\d+(\.\d+)?$/),
      "x-gw-overhead-duration-ms": expect.stringMatching(/^\d+(\.\d+)?$/),
      // The master key is an administrator's key, so the response includes the upstream URL.
      "x-gw-model-api-base": `${upstreams.alpha.origin}/v1`,
      "llm_provider-x-request-id": "up-1",
      "llm_provider-openai-processing-ms": "7",
      "llm_provider-x-ratelimit-remaining-requests": "59",
      // This key has no limit, so the response contains the upstream's limit.
      "x-ratelimit-remaining-requests": "59",
    });
    expect(shown).not.toHaveProperty("x-ratelimit-plan");
    expect(shown["x-gw-call-id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(Number(shown["x-gw-overhead-duration-ms"])).toBeLessThanOrEqual(Number(shown["x-gw-response-duration-ms"]));
    expect(JSON.stringify(shown)).not.toMatch(/set-cookie|x-internal|secret|None|undefined|null|sk-upstream/);
  });

  test("contain the caller's call ID if it is valid", async ({ gateway }) => {
    const label = async (callId: string) =>
      (await gateway.chat({ model: "sim/echo" }, { "x-gw-call-id": callId })).headers.get("x-gw-call-id");
    expect(await label("Run_7.a-b")).toBe("Run_7.a-b");
    expect(await label("a b")).not.toBe("a b");
    expect(await label("x".repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
    expect(gateway.records[0]).toMatchObject({ callId: "Run_7.a-b" });
    expect(gateway.records[0]?.eventId).not.toBe("Run_7.a-b");
  });

  test("allow any origin to read the response if the request has an Origin header", async ({ gateway }) => {
    const page = await gateway.chat({ model: "sim/echo" }, { origin: "https://example.com" });
    expect(page.headers.get("access-control-allow-origin")).toBe("*");
    expect((await gateway.chat({ model: "sim/echo" })).headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("the chat completions paths", () => {
  const paths = [
    "/chat/completions",
    "/v1/chat/completions",
    "/engines/sim/echo/chat/completions",
    "/openai/deployments/sim%2Fecho/chat/completions",
    "/openai/deployments/sim/echo/chat/completions?api-version=2024-10-21",
    "/v1/v1/chat/completions",
  ];

  test("all return the same response except for timestamps and request IDs, with and without streaming, for success and failure", async ({
    gateway,
  }) => {
    const bodies = [
      { model: "sim/echo", messages: hello },
      { model: "sim/echo", messages: hello, stream: true, stream_options: { include_usage: true } },
      { model: "sim/echo", messages: [{ role: "robot" }] },
      { model: "sim/echo", messages: hello, api_base: "https://example.com" },
    ];
    for (const body of bodies) {
      const answers = await Promise.all(
        paths.map(async (path) => {
          const answer = await gateway.post(path, body);
          const text = (await answer.text()).replaceAll(/"created":\d+|"request_id":"[\w-]+"/g, "");
          return { status: answer.status, text };
        }),
      );
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  });

  test("take the model from the path, regardless of the body", async ({ gateway }) => {
    const inPath = await gateway.post("/engines/sim/echo/chat/completions", { model: "nowhere", messages: hello });
    expect(await inPath.json()).toMatchObject({ model: "sim/echo" });
    const without = await gateway.post("/openai/deployments/sim%2Fecho/chat/completions", { messages: hello });
    expect(await without.json()).toMatchObject({ model: "sim/echo" });
  });

  test("use completion_model if it is configured", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: "general_settings: { completion_model: alpha }" });
    upstreams.alpha.replies(200, chatAnswer());
    for (const path of ["/v1/chat/completions", "/engines/sim/echo/chat/completions"]) {
      const answer = await gateway.post(path, { model: "sim/echo", messages: hello });
      expect(await answer.json()).toMatchObject({ model: "alpha" });
    }
  });
});

describe("concurrent calls", () => {
  test("each receive their own response", async ({ gateway }) => {
    const texts = Array.from({ length: 100 }, (_, index) => `call ${index} of many`);
    const answers = await Promise.all(
      texts.map(async (content) => {
        const answer = await gateway.chat({ model: "sim/echo", messages: [{ role: "user", content }] });
        return ((await answer.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
      }),
    );
    expect(answers).toEqual(texts);
    expect(gateway.records).toHaveLength(texts.length);
    expect(new Set(gateway.records.map(({ eventId }) => eventId)).size).toBe(texts.length);
  });
});

function escaped(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
