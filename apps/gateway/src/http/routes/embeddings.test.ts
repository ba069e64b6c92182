import { describe, expect } from "vitest";
import { errorOf, test } from "./chat-gateway.fixture.ts";

interface Embeddings {
  readonly object: string;
  readonly model: string;
  readonly data: readonly { object: string; index: number; embedding: number[] | string }[];
  readonly usage: { prompt_tokens: number; total_tokens: number };
}

const embeddingsOf = async (answer: Response) => (await answer.json()) as Embeddings;

/** The tokens of `hello world` in the most widely used embedding models. */
const HELLO_WORLD = [15339, 1917];

const upstreamAnswer = (embedding: unknown) => ({
  object: "list",
  data: [{ object: "embedding", index: 0, embedding }],
  model: "upstream",
  usage: { prompt_tokens: 8, total_tokens: 8 },
});

test("all paths return the same response, for success and failure", async ({ gateway }) => {
  const paths = [
    "/embeddings",
    "/v1/embeddings",
    "/engines/sim/embed/embeddings",
    "/openai/deployments/sim%2Fembed/embeddings?api-version=2024-10-21",
  ];
  for (const fields of [{ input: "x", dimensions: 8 }, { input: [] }, { input: 5 }]) {
    const answers = await Promise.all(
      paths.map(async (path) => {
        const answer = await gateway.post(path, { model: "sim/embed", ...fields });
        return { status: answer.status, text: (await answer.text()).replace(/"request_id":"[^"]*"/, "") };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
  const inPath = await gateway.post("/engines/sim/embed/embeddings", { model: "nowhere", input: "x" });
  expect(await inPath.json()).toMatchObject({ model: "sim/embed" });
});

describe("input", () => {
  test("can be a string, a list of strings, tokens, or lists of tokens, and the same text produces the same vector", async ({
    gateway,
  }) => {
    const ask = async (input: unknown) =>
      embeddingsOf(await gateway.post("/v1/embeddings", { model: "sim/embed", input, dimensions: 16 }));
    const one = await ask("hello world");
    expect(one).toMatchObject({ object: "list", model: "sim/embed", usage: { prompt_tokens: 2, total_tokens: 2 } });
    expect((await ask(HELLO_WORLD)).data).toEqual(one.data);
    const vector = one.data[0]?.embedding;
    for (const input of [
      ["other", "hello world"],
      [[1], HELLO_WORLD],
    ]) {
      const several = await ask(input);
      expect(several.data.map(({ index, object }) => [index, object])).toEqual([
        [0, "embedding"],
        [1, "embedding"],
      ]);
      expect(several.data[1]?.embedding).toEqual(vector);
      expect(several.data[0]?.embedding).not.toEqual(vector);
    }
  });

  test.for([undefined, null, "", []])("must not be empty: %j", async (input, { gateway }) => {
    const answer = await gateway.post("/v1/embeddings", { model: "sim/embed", input });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: "input" });
  });

  test("can have at most 2048 items, and a list of tokens counts as one item", async ({ gateway }) => {
    const ask = (input: unknown) => gateway.post("/embeddings", { model: "sim/embed", input, dimensions: 2 });
    const tooMany = await ask(Array.from({ length: 2049 }, () => "x"));
    expect(tooMany.status).toBe(422);
    expect(await tooMany.json()).toMatchObject({ detail: [{ loc: ["body", "input"], type: "too_long" }] });
    expect((await ask(Array.from({ length: 2049 }, () => [1]))).status).toBe(422);
    expect((await embeddingsOf(await ask(Array.from({ length: 2048 }, () => "x")))).data).toHaveLength(2048);
    expect((await embeddingsOf(await ask(Array.from({ length: 5000 }, () => 1)))).usage.prompt_tokens).toBe(5000);
  });
});

describe("vectors", () => {
  test("are numbers, or the same numbers encoded as base64", async ({ gateway }) => {
    const ask = async (fields: object) =>
      embeddingsOf(await gateway.post("/embeddings", { model: "sim/embed", input: "x", ...fields }));
    const numbers = (await ask({})).data[0]?.embedding as number[];
    const encoded = (await ask({ encoding_format: "base64" })).data[0]?.embedding as string;
    expect((await ask({ encoding_format: "float" })).data[0]?.embedding).toEqual(numbers);
    const bytes = Buffer.from(encoded, "base64");
    expect(numbers.map((_, index) => bytes.readFloatLE(index * 4))).toEqual(numbers);
    expect(numbers).toHaveLength(1536);
    expect(Math.hypot(...numbers)).toBeCloseTo(1, 5);
    expect((await ask({ dimensions: 7 })).data[0]?.embedding).toHaveLength(7);
  });

  test("pass through unchanged if the upstream uses the requested encoding", async ({ gateway, upstreams }) => {
    for (const [encoding, embedding] of [
      ["float", [0.1, -0.2, 1e-7]],
      ["base64", "AACAPwAAAEA="],
    ] as const) {
      const upstream = `${JSON.stringify(upstreamAnswer(embedding)).replace(",", " ,\n")}\n`;
      upstreams.alpha.replies(200, upstream);
      const answer = await gateway.post("/embeddings", { model: "alpha", input: "x", encoding_format: encoding });
      expect(await answer.text()).toBe(upstream.replace('"upstream"', '"alpha"'));
    }
    expect((await upstreams.alpha.ended(1)).json()).toEqual({
      model: "upstream-1",
      input: "x",
      encoding_format: "base64",
    });
    expect((await upstreams.alpha.ended(1)).path).toBe("/v1/embeddings");
  });

  test("are converted if the upstream uses the other encoding", async ({ gateway, upstreams }) => {
    const ask = async (encoding: string) => {
      const asked = { model: "alpha", input: ["a", "b"], encoding_format: encoding };
      return embeddingsOf(await gateway.post("/embeddings", asked));
    };
    const entries = (one: unknown, two: unknown) => ({
      ...upstreamAnswer(one),
      // The vectors are out of order, as an upstream may send them.
      data: [
        { object: "embedding", index: 1, embedding: two },
        { object: "embedding", index: 0, embedding: one },
      ],
    });
    upstreams.alpha.replies(200, entries([1, 2], [0.5, 0.25]));
    expect(await ask("base64")).toMatchObject({
      model: "alpha",
      data: [
        { index: 0, embedding: "AACAPwAAAEA=" },
        { index: 1, embedding: "AAAAPwAAgD4=" },
      ],
    });
    upstreams.alpha.replies(200, entries("AACAPwAAAEA=", "AAAAPwAAAIA="));
    expect((await ask("float")).data.map(({ embedding }) => embedding)).toEqual([
      [1, 2],
      [0.5, -0],
    ]);
    expect(gateway.records.map(({ usage }) => usage.inputTokens)).toEqual([8, 8]);
  });

  test.for([
    ["invalid JSON", "float", "<html>"],
    ["invalid JSON", "base64", "<html>"],
    ["no vectors", "float", { object: "list", data: [] }],
    ["a value that isn't a number", "base64", upstreamAnswer(["x"])],
    ["a truncated number", "float", upstreamAnswer("AAAA")],
    ["a number that isn't finite", "float", upstreamAnswer("AADAfw==")],
    ["an index out of range", "base64", { data: [{ index: 7, embedding: [1] }] }],
    ["a negative index", "base64", { data: [{ index: -1, embedding: [1] }] }],
    ["a repeated index", "base64", { data: [1, 2].map(() => ({ index: 0, embedding: [1] })) }],
  ] as const)(
    "that are malformed upstream become a 502: %s as %s",
    async ([, encoding, body], { gateway, upstreams }) => {
      upstreams.alpha.replies(200, body);
      const answer = await gateway.post("/embeddings", { model: "alpha", input: "x", encoding_format: encoding });
      expect(answer.status).toBe(502);
      expect(await errorOf(answer)).toMatchObject({ code: "bad_gateway" });
    },
  );

  test("have the model's fixed length if the model does not support dimensions", async ({ start, upstreams }) => {
    const target = `model: openai/text-embedding-ada-002, api_base: "${upstreams.beta.origin}/v1", api_key: sk-upstream-1`;
    const gateway = await start({ yaml: `  - { model_name: ada, litellm_params: { ${target} } }` });
    upstreams.beta.replies(200, upstreamAnswer([1]));
    const ask = (fields: object) => gateway.post("/embeddings", { model: "ada", input: "x", dimensions: 3, ...fields });
    const refused = await ask({});
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: "unsupported_parameter", param: "dimensions" });
    expect((await ask({ drop_params: true })).status).toBe(200);
    expect((await upstreams.beta.ended(0)).json()).toEqual({ model: "text-embedding-ada-002", input: "x" });
  });
});

describe("tokens", () => {
  test("are sent unchanged to an upstream that accepts tokens, and as text to any other upstream", async ({
    start,
    upstreams,
  }) => {
    const target = (model: string) => `litellm_params: { model: ${model}, api_base: "${upstreams.beta.origin}/v1" }`;
    const gateway = await start({
      yaml: `
  - { model_name: taking, ${target("hosted_vllm/x")} }
  - { model_name: reading, ${target("ollama/text-embedding-3-small")} }`,
    });
    upstreams.beta.replies(200, upstreamAnswer([1]));
    await gateway.post("/embeddings", { model: "taking", input: [HELLO_WORLD, [15339]] });
    await gateway.post("/embeddings", { model: "reading", input: [HELLO_WORLD, [15339]] });
    await gateway.post("/embeddings", { model: "reading", input: HELLO_WORLD });
    const received = await Promise.all([0, 1, 2].map(async (index) => (await upstreams.beta.ended(index)).json()));
    expect(received).toMatchObject([
      { input: [HELLO_WORLD, [15339]] },
      { input: ["hello world", "hello"] },
      { input: ["hello world"] },
    ]);
  });
});

describe("gateway field", () => {
  test.for([0, -1, 1.5, "5"])("timeout %j is rejected", async (timeout, { gateway }) => {
    const answer = await gateway.post("/embeddings", { model: "sim/embed", input: "x", timeout });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ["body", "timeout"] }] });
  });

  test.for([601, 3_601, 1e9])(
    "timeout %j is accepted, although the gateway waits for at most an hour",
    async (timeout, { gateway }) => {
      expect((await gateway.post("/embeddings", { model: "sim/embed", input: "x", timeout })).status).toBe(200);
    },
  );

  test("timeout causes a 408 if the request exceeds it", async ({ gateway, upstreams }) => {
    upstreams.alpha.hangs();
    const answer = await gateway.post("/embeddings", { model: "alpha", input: "x", timeout: 1 });
    expect(answer.status).toBe(408);
    expect(await errorOf(answer)).toMatchObject({ code: "timeout" });
  });

  test.for([
    ["api_base", "https://example.com"],
    ["api_key", "sk-mine"],
    ["gw_logging_obj", { a: 1 }],
    ["logger_fn", "print"],
  ] as const)("%s is rejected unless it is null", async ([name, value], { gateway, upstreams }) => {
    upstreams.alpha.replies(200, upstreamAnswer([1]));
    const refused = await gateway.post("/embeddings", { model: "alpha", input: "x", [name]: value });
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: "client_side_credentials_not_allowed", param: name });
    expect((await gateway.post("/embeddings", { model: "alpha", input: "x", [name]: null })).status).toBe(200);
    expect((await upstreams.alpha.ended(0)).json()).toEqual({ model: "upstream-1", input: "x" });
  });

  test("without an effect is type-checked and not forwarded", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, upstreamAnswer([1]));
    const own = { api_version: "1", api_type: "x", custom_llm_provider: {}, caching: false, timeout: 600, cache: {} };
    const asked = { model: "alpha", input: "x", metadata: { a: 1 }, num_retries: 0, gw_call_id: "mine", ...own };
    expect((await gateway.post("/embeddings", asked)).status).toBe(200);
    expect((await upstreams.alpha.ended(0)).json()).toEqual({ model: "upstream-1", input: "x" });
    expect((await gateway.post("/embeddings", { ...asked, api_version: 1 })).status).toBe(422);
    expect((await gateway.post("/embeddings", { ...asked, logger_fn: 1 })).status).toBe(422);
  });

  test("gw_call_id sets the call ID if it is valid", async ({ gateway }) => {
    const label = async (callId: unknown) => {
      const asked = { model: "sim/embed", input: "x", gw_call_id: callId };
      return (await gateway.post("/embeddings", asked, { "x-gw-call-id": "header" })).headers.get("x-gw-call-id");
    };
    expect(await label("Run_7.a-b")).toBe("Run_7.a-b");
    expect(await label(null)).toBe("header");
    expect(await label("a b")).toBe("header");
    expect(await label("x".repeat(129))).toBe("header");
    expect(gateway.records.map(({ callId }) => callId)).toEqual(["Run_7.a-b", "header", "header", "header"]);
  });
});

describe("a call", () => {
  test("is charged for its input tokens and not for its vectors", async ({ start, upstreams }) => {
    const target = `model: openai/text-embedding-3-small, api_base: "${upstreams.beta.origin}/v1", api_key: sk-upstream-1`;
    const gateway = await start({ yaml: `  - { model_name: small, litellm_params: { ${target} } }` });
    upstreams.beta.replies(200, { ...upstreamAnswer([1]), usage: { prompt_tokens: 1000, total_tokens: 1000 } });
    const answer = await gateway.post("/embeddings", { model: "small", input: "x" });
    // The price is 0.02 USD per million tokens.
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("20000");
    expect(gateway.records[0]?.usage).toMatchObject({ inputTokens: 1000, outputTokens: 0, source: "reported" });
  });

  test("has its usage estimated when the upstream reports no usage", async ({ gateway, upstreams }) => {
    const { usage: _, ...bare } = upstreamAnswer([1]);
    upstreams.alpha.replies(200, bare);
    await gateway.post("/embeddings", { model: "alpha", input: ["hello world", "hello"] });
    await gateway.post("/embeddings", { model: "alpha", input: [HELLO_WORLD, [1]] });
    expect(gateway.records.map(({ usage }) => [usage.inputTokens, usage.outputTokens, usage.source])).toEqual([
      [3, 0, "estimated"],
      [3, 0, "estimated"],
    ]);
  });

  test("returns the upstream's error", async ({ gateway }) => {
    const ask = (model: string) => gateway.post("/embeddings", { model, input: "x" });
    expect((await ask("sim/error?status=503")).status).toBe(503);
    expect(await errorOf(await ask("sim/error?kind=policy"))).toMatchObject({ code: "content_policy_violation" });
    expect(await errorOf(await ask("sim/cut"))).toMatchObject({ code: "upstream_unreachable" });
    expect(await errorOf(await ask("sim/echo"))).toMatchObject({ code: "invalid_request", param: "model" });
  });
});
