import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { chunksOf, errorOf, test } from "../http/routes/chat-gateway.fixture.ts";
import { MASTER_KEY } from "../test-gateway.fixture.ts";

const CACHED = "gw_settings: { cache: true }";
const ANSWER = chatAnswer({ content: "Grüße, 世界" });

/** Returns the cache headers of a response. */
async function reported(answering: Promise<Response>) {
  const answer = await answering;
  const { headers } = answer;
  return {
    status: answer.status,
    hit: headers.get("x-gw-cache-hit"),
    key: headers.get("x-gw-cache-key"),
    cost: headers.get("x-gw-response-cost-nano-usd"),
    type: headers.get("content-type"),
    text: await answer.text(),
  };
}

test("an identical request gets the cached bytes at no cost and is recorded, and a different request is a miss", async ({
  start,
  upstreams,
}) => {
  const gateway = await start({ yaml: CACHED });
  upstreams.alpha.replies(200, ANSWER);
  const first = await reported(gateway.chat({ model: "alpha", temperature: 0 }));
  expect(first).toMatchObject({ status: 200, hit: "false", key: expect.stringMatching(/^[0-9a-f]{64}$/) });
  // Fields that describe the caller or control only the gateway don't change the cache key.
  const again = await reported(
    gateway.chat({ temperature: 0, model: "alpha", user: "me", metadata: { a: "b" }, num_retries: 1, timeout: 9 }),
  );
  expect(again).toEqual({ ...first, hit: "true", cost: "0" });
  expect(gateway.records).toHaveLength(2);
  expect(gateway.records[1]).toMatchObject({
    status: "success",
    deploymentId: "alpha-1",
    cost: 0n,
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  for (const other of [{ temperature: 1 }, { temperature: 0, seed: 1 }, { temperature: 0, extra_body: { a: 1 } }]) {
    expect(await reported(gateway.chat({ model: "alpha", ...other }))).toMatchObject({ hit: "false" });
  }
  expect(upstreams.alpha.requests).toHaveLength(4);
});

test("returns x-gw-cache: off if a request asks for the cache and there is none", async ({ start, upstreams }) => {
  const gateway = await start();
  const stateOf = async (fields: object) => {
    const answer = await gateway.chat({ model: "alpha", ...fields });
    await answer.text();
    return [answer.status, answer.headers.get("x-gw-cache"), answer.headers.get("x-gw-cache-hit")];
  };
  upstreams.alpha.replies(200, ANSWER);
  expect(await stateOf({ caching: true })).toEqual([200, "off", null]);
  expect(await stateOf({ caching: false })).toEqual([200, null, null]);
  expect(await stateOf({})).toEqual([200, null, null]);
  upstreams.alpha.streams(chatFrames());
  expect(await stateOf({ caching: true, stream: true })).toEqual([200, "off", null]);
  const cached = await start({ yaml: CACHED });
  upstreams.alpha.replies(200, ANSWER);
  const answer = await cached.chat({ model: "alpha", caching: true });
  expect([answer.headers.get("x-gw-cache"), answer.headers.get("x-gw-cache-hit")]).toEqual([null, "false"]);
});

test("cache options control reads, writes, TTL, maximum age, and namespace", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  upstreams.alpha.replies(200, ANSWER);
  const ask = async (fields: object) => (await reported(gateway.chat({ model: "alpha", ...fields }))).hit;
  expect(await ask({ cache: { "no-store": true } })).toBe("false");
  expect(await ask({})).toBe("false");
  expect(await ask({})).toBe("true");
  expect(await ask({ caching: false })).toBeNull();
  expect(await ask({ cache: { "no-cache": true } })).toBe("false");
  expect(await ask({ cache: { "s-maxage": 60 } })).toBe("true");
  expect(await ask({ cache: { "s-maxage": 0 } })).toBe("false");
  expect(await ask({ cache: { namespace: "apart" } })).toBe("false");
  expect(await ask({ cache: { namespace: "apart" } })).toBe("true");
  expect(await ask({ seed: 1, cache: { ttl: 0.001 } })).toBe("false");
  expect(await ask({ seed: 1 })).toBe("false");
  for (const cache of [{ ttl: "60" }, { "no-cache": 1 }, { ttl: -1 }, "yes"]) {
    expect((await gateway.chat({ model: "alpha", cache })).status).toBe(422);
  }
  const off = await start({ yaml: "gw_settings: { cache: true, cache_params: { mode: default_off } }" });
  const askOff = async (fields: object) => (await reported(off.chat({ model: "alpha", ...fields }))).hit;
  expect([await askOff({}), await askOff({ caching: true })]).toEqual([null, "false"]);
  expect([await askOff({}), await askOff({ cache: { "use-cache": true } })]).toEqual([null, "true"]);
});

test("replays a stream byte for byte, with and without usage", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  upstreams.alpha.streams(chatFrames({ content: "Hello new 世界", inputTokens: 7, outputTokens: 4 }));
  const first = await reported(gateway.chat({ model: "alpha", stream: true }));
  const again = await reported(gateway.chat({ model: "alpha", stream: true }));
  expect(first.hit).toBe("false");
  expect(again).toMatchObject({ hit: "true", text: first.text, type: first.type });
  const counted = await reported(
    gateway.chat({ model: "alpha", stream: true, stream_options: { include_usage: true } }),
  );
  const { chunks, isDone } = chunksOf(counted.text);
  expect(counted.hit).toBe("true");
  expect(isDone).toBe(true);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 4 } });
  expect(chunks.slice(0, -1)).toEqual(chunksOf(first.text).chunks);
  expect(upstreams.alpha.requests).toHaveLength(1);
});

test("caches Anthropic messages, with separate entries for streamed responses", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  const ask = (fields: object = {}) => {
    const messages = [{ role: "user", content: "hello" }];
    return reported(gateway.post("/v1/messages", { model: "alpha", max_tokens: 9, messages, ...fields }));
  };
  upstreams.alpha.behaves(reply(200, ANSWER), streamFrames(chatFrames({ content: "Hello new 世界" })));
  const [whole, again] = [await ask(), await ask()];
  expect(again).toEqual({ ...whole, hit: "true", cost: "0" });
  const [first, replayed] = [await ask({ stream: true }), await ask({ stream: true })];
  expect([first.hit, replayed.hit]).toEqual(["false", "true"]);
  expect(first.text).toContain("event: message_stop");
  expect(replayed.text).toBe(first.text);
  expect(upstreams.alpha.requests).toHaveLength(2);
});

describe("a cached response is converted", () => {
  const tool = (index: number, fields: object) => ({ delta: { tool_calls: [{ index, ...fields }] } });
  const frame = (choice: object, reason: string | null = null) =>
    `data: ${JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "upstream-1",
      choices: [{ index: 0, finish_reason: reason, ...choice }],
    })}\n\n`;

  test("from a stream to a whole response", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: CACHED });
    upstreams.alpha.streams([
      frame({ delta: { role: "assistant", content: null } }),
      frame(tool(0, { id: "call_1", type: "function", function: { name: "look", arguments: "" } })),
      frame(tool(0, { function: { arguments: '{"at":' } })),
      frame(tool(1, { id: "call_2", type: "function", function: { name: "listen", arguments: "{}" } })),
      frame(tool(0, { function: { arguments: '"世界"}' } })),
      frame({ delta: {} }, "tool_calls"),
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 } })}\n\n`,
      "data: [DONE]\n\n",
    ]);
    await reported(gateway.chat({ model: "alpha", stream: true }));
    const whole = await reported(gateway.chat({ model: "alpha" }));
    expect(whole).toMatchObject({ status: 200, hit: "true", type: "application/json" });
    expect(JSON.parse(whole.text)).toMatchObject({
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "alpha",
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"世界"}' } },
              { id: "call_2", type: "function", function: { name: "listen", arguments: "{}" } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
    });
    expect(upstreams.alpha.requests).toHaveLength(1);
  });

  test("without frames that are not response chunks, unless it is malformed", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: CACHED });
    upstreams.alpha.streams(['data: {"type":"ping"}\n\n', ...chatFrames({ content: "Hello" })]);
    await reported(gateway.chat({ model: "alpha", stream: true }));
    const whole = await reported(gateway.chat({ model: "alpha" }));
    expect(whole).toMatchObject({ status: 200, hit: "true" });
    expect(JSON.parse(whole.text)).toMatchObject({ choices: [{ message: { content: "Hello" } }] });
    upstreams.alpha.behaves(
      reply(200, { ...ANSWER, choices: [null] }),
      streamFrames(chatFrames()),
      reply(200, { object: "list", data: [null], odd: { embedding: [1] } }),
      reply(200, { object: "list", data: [null, { embedding: [1] }] }),
    );
    expect((await gateway.chat({ model: "alpha", seed: 1 })).status).toBe(200);
    expect(await reported(gateway.chat({ model: "alpha", seed: 1, stream: true }))).toMatchObject({ hit: "false" });
    for (const input of [["a"], ["a", "b"]]) {
      expect((await gateway.post("/v1/embeddings", { model: "alpha", input })).status).toBe(200);
    }
  });

  test("from a whole response to a stream, for chat and completions", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: CACHED });
    upstreams.alpha.replies(200, ANSWER);
    await reported(gateway.chat({ model: "alpha" }));
    const usage = { stream_options: { include_usage: true } };
    const streamed = await reported(gateway.chat({ model: "alpha", stream: true, ...usage }));
    const { chunks, isDone } = chunksOf(streamed.text);
    expect(streamed).toMatchObject({ hit: "true", type: "text/event-stream; charset=utf-8" });
    expect(isDone).toBe(true);
    expect(chunks).toMatchObject([
      { id: ANSWER.id, object: "chat.completion.chunk", choices: [{ delta: { content: "Grüße, 世界" } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } },
    ]);
    upstreams.beta.replies(200, chatAnswer({ content: "and so on", finishReason: "length" }));
    const prompt = { model: "beta", prompt: "once" };
    await reported(gateway.post("/v1/completions", prompt));
    const text = await reported(gateway.post("/v1/completions", { ...prompt, stream: true }));
    expect(text.hit).toBe("true");
    expect(chunksOf(text.text).chunks).toMatchObject([
      { object: "text_completion", choices: [{ text: "and so on" }] },
      { choices: [{ text: "", finish_reason: "length" }] },
    ]);
  });
});

test("does not cache errors, truncated streams, or responses from a fallback", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  const ask = (fields: object) => reported(gateway.chat({ model: "alpha", ...fields }));
  upstreams.alpha.behaves(reply(500, "no"), reply(200, ANSWER));
  expect((await ask({})).status).toBe(500);
  expect(await ask({})).toMatchObject({ status: 200, hit: "false" });
  upstreams.alpha.behaves(streamFrames(chatFrames(), { cutAfterFrames: 2 }), streamFrames(chatFrames()));
  expect((await ask({ stream: true, seed: 1 })).text).toContain("error");
  expect(await ask({ stream: true, seed: 1 })).toMatchObject({ hit: "false" });
  upstreams.alpha.behaves(reply(500, "no"), reply(200, ANSWER));
  upstreams.beta.replies(200, ANSWER);
  expect(await ask({ seed: 2, fallbacks: ["beta"] })).toMatchObject({ status: 200, hit: "false" });
  expect(await ask({ seed: 2 })).toMatchObject({ status: 200, hit: "false" });
});

test("sends only uncached embedding inputs upstream and counts only their tokens", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  upstreams.alpha.behaves(({ request, response }) => {
    const { input } = request.json() as { input: string[] };
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 0.25, -1e-7] }));
    response.setHeader("content-type", "application/json");
    const usage = { prompt_tokens: input.length, total_tokens: input.length };
    response.end(JSON.stringify({ object: "list", data: data.reverse(), model: "m", usage }));
  });
  const embed = (input: unknown) => reported(gateway.post("/v1/embeddings", { model: "alpha", input }));
  const vectorsOf = ({ text }: { text: string }) =>
    (JSON.parse(text) as { data: { index: number; embedding: number[] }[] }).data
      .toSorted((left, right) => left.index - right.index)
      .map(({ embedding }) => embedding[0]);
  expect(vectorsOf(await embed(["a", "bb"]))).toEqual([1, 2]);
  const mixed = await embed(["ccc", "bb", "dddd", "a", "ccc"]);
  expect(mixed.hit).toBe("false");
  expect(vectorsOf(mixed)).toEqual([3, 2, 4, 1, 3]);
  expect(upstreams.alpha.requests.map((request) => (request.json() as { input: unknown }).input)).toEqual([
    ["a", "bb"],
    ["ccc", "dddd", "ccc"],
  ]);
  expect(gateway.records.map(({ usage }) => usage.inputTokens)).toEqual([2, 3]);
  const all = await embed(["dddd", "a"]);
  expect(all).toMatchObject({ hit: "true", cost: "0" });
  expect(vectorsOf(all)).toEqual([4, 1]);
  expect(vectorsOf(await embed("bb"))).toEqual([2]);
  expect(upstreams.alpha.requests).toHaveLength(2);
});

test("does not mix cached vectors with vectors from a fallback model", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  const list = (vectors: readonly number[]) => ({
    object: "list",
    data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: [vector] })),
    model: "m",
    usage: { prompt_tokens: vectors.length, total_tokens: vectors.length },
  });
  upstreams.alpha.behaves(reply(200, list([1])), reply(500, "no"));
  upstreams.beta.replies(200, list([7, 8]));
  const embed = (input: unknown) =>
    reported(gateway.post("/v1/embeddings", { model: "alpha", input, fallbacks: ["beta"] }));
  await embed(["a"]);
  const { text } = await embed(["a", "b"]);
  expect(JSON.parse(text).data).toMatchObject([{ embedding: [7] }, { embedding: [8] }]);
  expect((await upstreams.beta.ended(0)).json()).toMatchObject({ input: ["a", "b"] });
  expect(gateway.records[1]?.usage).toMatchObject({ inputTokens: 2 });
});

test("many embedding inputs with a long extra field do not block other requests", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  const input = Array.from({ length: 2_000 }, (_, index) => `${index}`);
  const data = input.map((_, index) => ({ object: "embedding", index, embedding: [1] }));
  upstreams.alpha.replies(200, { object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } });
  const body = { model: "alpha", input, odd: "x".repeat(1_000_000) };
  const before = process.threadCpuUsage();
  expect(await reported(gateway.post("/v1/embeddings", body))).toMatchObject({ status: 200, hit: "false" });
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_500_000);
  expect(await reported(gateway.post("/v1/embeddings", body))).toMatchObject({ status: 200, hit: "true" });
});

test("different Anthropic version and beta headers use different cache entries", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: CACHED });
  upstreams.alpha.replies(200, ANSWER);
  const ask = async (headers: Record<string, string>) => {
    const body = { model: "alpha", max_tokens: 5, messages: [{ role: "user", content: "hi" }] };
    return (await reported(gateway.post("/v1/messages", body, headers))).hit;
  };
  expect([await ask({}), await ask({})]).toEqual(["false", "true"]);
  const beta = { "anthropic-beta": "interleaved-thinking-2025-05-14" };
  expect([await ask(beta), await ask(beta)]).toEqual(["false", "true"]);
  expect(await ask({ "anthropic-version": "2023-01-01" })).toBe("false");
});

describe("Redis cache", () => {
  const redis = (url: string) => `gw_settings: { cache: true, cache_params: { type: redis, url: "${url}" } }`;

  test("shares responses between processes under keys that do not reveal the prompt", async ({
    start,
    upstreams,
    redis: server,
  }) => {
    const [one, two] = [await start({ yaml: redis(server.url) }), await start({ yaml: redis(server.url) })];
    upstreams.alpha.replies(200, ANSWER);
    const question = { model: "alpha", messages: [{ role: "user", content: "a private question" }] };
    // The first lookup opens the connection and misses.
    await waitFor("an answer of the other process", async () => {
      await reported(one.chat(question));
      return (await reported(two.chat(question))).hit === "true";
    });
    const keys = await server.client.keys("*");
    expect(keys).toEqual([expect.stringMatching(/^tollgate:cache:[0-9a-f]{8}:[0-9a-f]{64}$/)]);
    expect(await server.client.pTTL(keys[0] as string)).toBeLessThanOrEqual(60_000);
  });

  test("counts every request as a miss while Redis is unavailable", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: redis(`redis://127.0.0.1:${await findFreePort()}/0`) });
    upstreams.alpha.replies(200, ANSWER);
    for (let calls = 0; calls < 3; calls += 1) {
      expect(await reported(gateway.chat({ model: "alpha" }))).toMatchObject({ status: 200, hit: "false" });
    }
    expect(upstreams.alpha.requests).toHaveLength(3);
    const refused = await gateway.chat({ model: "unknown" });
    expect(await errorOf(refused)).toMatchObject({ code: "model_not_found" });
  });
});

test("only the operator can ping, delete from, and flush the cache", async ({ start, upstreams, database }) => {
  const platform = database.connect("tollgate_platform");
  const { apiKey } = await addTenant(platform);
  const gateway = await start({ yaml: CACHED, database: database.connect("tollgate_gateway") });
  upstreams.alpha.replies(200, ANSWER);
  const ask = (seed: number) => reported(gateway.chat({ model: "alpha", seed }));
  const ping = await fetch(`${gateway.url}/cache/ping`, { headers: { "x-gw-api-key": MASTER_KEY } });
  expect(await ping.json()).toEqual({ status: "healthy", cache_type: "memory", ping_response: true });
  const { key } = await ask(1);
  await ask(2);
  const deleted = await gateway.post("/cache/delete", { keys: [key, "0".repeat(64)] });
  expect(await deleted.json()).toEqual({ status: "success", deleted: 1 });
  expect([(await ask(2)).hit, (await ask(1)).hit, (await ask(1)).hit]).toEqual(["true", "false", "true"]);
  const own = await fetch(`${gateway.url}/cache/flushall`, { method: "POST", headers: { "x-gw-api-key": apiKey } });
  expect(own.status).toBe(403);
  const flushed = await fetch(`${gateway.url}/cache/flushall`, {
    method: "POST",
    headers: { "x-gw-api-key": MASTER_KEY },
  });
  expect(await flushed.json()).toEqual({ status: "success" });
  expect([(await ask(1)).hit, (await ask(2)).hit]).toEqual(["false", "false"]);
});
