import fc from "fast-check";
import { describe, expect } from "vitest";
import { chunksOf, errorOf, test } from "./chat-gateway.fixture.ts";

interface Completion {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly choices: readonly { index: number; text: string; finish_reason: string | null; logprobs: unknown }[];
  readonly usage?: Record<string, number>;
}

const completionOf = async (answer: Response) => (await answer.json()) as Completion;

/** Response from the upstream that serves `fake/*`, which supports text completions. */
const upstreamAnswer = (text = " hi") => ({
  id: "cmpl-1",
  object: "text_completion",
  created: 1,
  model: "upstream",
  choices: [{ index: 0, text, finish_reason: "stop", logprobs: null }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

describe("the model name", () => {
  const paths = [
    "/completions",
    "/v1/completions",
    "/v1/v1/completions",
    "/completions?model=sim/echo",
    "/v1/completions?model=sim%2Fecho&api-version=1",
    "/engines/sim/echo/completions",
    "/openai/deployments/sim%2Fecho/completions?api-version=2024-10-21",
  ];

  test("can be in the path, query, or body, with the same response in each case, for success and failure", async ({
    gateway,
  }) => {
    const bodies = [
      { model: "sim/echo", prompt: "one two three" },
      { model: "sim/echo", prompt: "one two three", stream: true, stream_options: { include_usage: true } },
      { model: "sim/echo", prompt: "one", best_of: 1, n: 2 },
      { model: "sim/echo", n: 0 },
    ];
    for (const body of bodies) {
      const answers = await Promise.all(
        paths.map(async (path) => {
          const answer = await gateway.post(path, body);
          return {
            status: answer.status,
            text: (await answer.text()).replaceAll(/"created":\d+|"request_id":"[^"]*"/g, ""),
          };
        }),
      );
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  });

  test("is read from the path, then the query, then the body", async ({ gateway }) => {
    const modelOf = async (path: string, model?: string) =>
      (await completionOf(await gateway.post(path, { prompt: "x", ...(model && { model }) }))).model;
    expect(await modelOf("/engines/sim/echo/completions?model=sim/json", "sim/lorem")).toBe("sim/echo");
    expect(await modelOf("/completions?model=sim/json", "sim/lorem")).toBe("sim/json");
    expect(await modelOf("/completions?model=", "sim/lorem")).toBe("sim/lorem");
    expect(await modelOf("/v1/completions?model=sim/json")).toBe("sim/json");
  });

  test("is ignored if completion_model is configured", async ({ start }) => {
    const gateway = await start({ yaml: "general_settings: { completion_model: sim/echo }" });
    const answer = await gateway.post("/completions?model=sim/json", { model: "sim/lorem", prompt: "x" });
    expect(await answer.json()).toMatchObject({ model: "sim/echo" });
  });

  test("is required", async ({ gateway }) => {
    const answer = await gateway.post("/v1/completions", { prompt: "x" });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ["body", "model"], type: "missing" }] });
  });
});

describe("a request", () => {
  test.for([
    [{}, "prompt", "missing"],
    [{ prompt: [] }, "prompt", "too_short"],
    [{ prompt: 5 }, "prompt", "string_type"],
    [{ prompt: "x", n: 0 }, "n", "greater_than_equal"],
    [{ prompt: "x", n: 129 }, "n", "less_than_equal"],
    [{ prompt: "x", best_of: 21 }, "best_of", "less_than_equal"],
    [{ prompt: "x", max_tokens: 1.5 }, "max_tokens", "int_parsing"],
    [{ prompt: "x", logprobs: 6 }, "logprobs", "less_than_equal"],
    [{ prompt: "x", temperature: "3" }, "temperature", "float_parsing"],
    [{ prompt: "x", stop: 5 }, "stop", "string_type"],
  ] as const)(
    "with an invalid value is rejected with an error that names the field: %j",
    async ([fields, name, slug], { gateway }) => {
      const answer = await gateway.post("/v1/completions", { model: "sim/echo", ...fields });
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ detail: [{ loc: ["body", name], type: slug }] });
    },
  );

  test.for([
    [{ best_of: 2, n: 3 }, "best_of"],
    [{ best_of: 2, stream: true }, "best_of"],
    [{ stream_options: { include_usage: true } }, "stream_options"],
    [{ mock_response: "x" }, "mock_response"],
    [{ guardrails: ["none"] }, "guardrails"],
  ] as const)("with conflicting or unsupported fields is rejected: %j", async ([fields, param], { gateway }) => {
    const answer = await gateway.post("/v1/completions", { model: "sim/echo", prompt: "x", ...fields });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param });
  });

  test("with fields that configure the gateway is rejected", async ({ gateway }) => {
    const answer = await gateway.post("/v1/completions", { model: "sim/echo", prompt: "x", api_base: "http://x" });
    expect(await errorOf(answer)).toMatchObject({ code: "client_side_credentials_not_allowed", param: "api_base" });
  });
});

describe("a response", () => {
  test("has at most 16 output tokens unless max_tokens is set", async ({ gateway }) => {
    const ask = async (fields: object) =>
      completionOf(await gateway.post("/completions", { model: "sim/lorem?tokens=40", prompt: "x", ...fields }));
    expect((await ask({})).usage).toMatchObject({ completion_tokens: 16 });
    expect((await ask({})).choices[0]).toMatchObject({ finish_reason: "length" });
    expect((await ask({ max_tokens: null })).usage).toMatchObject({ completion_tokens: 16 });
    expect((await ask({ max_tokens: 39 })).usage).toMatchObject({ completion_tokens: 39 });
  });

  test("numbers all choices for one prompt before the choices for the next prompt", async ({ gateway }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (prompts, n, stream) => {
          const answer = await gateway.post("/completions", {
            model: "sim/lorem?tokens=3",
            prompt: prompts,
            n,
            stream,
          });
          const choices = stream
            ? chunksOf(await answer.text()).chunks.flatMap((chunk) => (chunk.choices ?? []) as Completion["choices"])
            : (await completionOf(answer)).choices;
          const texts: string[] = Array.from({ length: prompts.length * n }, () => "");
          for (const { index, text } of choices) texts[index] += text;
          expect(new Set(choices.map(({ index }) => index)).size).toBe(prompts.length * n);
          for (const [place, prompt] of prompts.entries()) {
            const alone = await gateway.post("/completions", { model: "sim/lorem?tokens=3", prompt, n });
            const { choices: own } = await completionOf(alone);
            expect(texts.slice(place * n, place * n + n)).toEqual(own.map(({ text }) => text));
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test("includes the prompt and logprobs on request", async ({ gateway }) => {
    const asked = { model: "sim/echo", prompt: "one two", echo: true, logprobs: 1 };
    const { choices } = await completionOf(await gateway.post("/completions", asked));
    expect(choices[0]).toMatchObject({
      text: "one twoone two",
      logprobs: { tokens: ["one", " two", "one", " two"], text_offset: [0, 3, 7, 10] },
    });
  });

  test("is charged for all generated completions, including completions that best_of discards", async ({ gateway }) => {
    const ask = async (fields: object) => {
      const answer = await gateway.post("/completions", { model: "sim/paid", prompt: ["a b", "c"], ...fields });
      expect(answer.status).toBe(200);
      return BigInt(answer.headers.get("x-gw-response-cost-nano-usd") as string);
    };
    // There are three input tokens at 1 µUSD each, and three or six output tokens at 4 µUSD each.
    expect(await ask({})).toBe(3n * 1_000n + 3n * 4_000n);
    expect(await ask({ n: 2 })).toBe(3n * 1_000n + 6n * 4_000n);
    expect(await ask({ n: 1, best_of: 2 })).toBe(3n * 1_000n + 6n * 4_000n);
    expect(gateway.records.map(({ usage }) => [usage.inputTokens, usage.outputTokens, usage.source])).toEqual([
      [3, 3, "reported"],
      [3, 6, "reported"],
      [3, 6, "reported"],
    ]);
  });

  test("reports the same errors as chat completions", async ({ gateway }) => {
    const ask = (model: string, fields = {}) => gateway.post("/completions", { model, prompt: "x", ...fields });
    expect((await ask("sim/error?status=429")).status).toBe(429);
    expect(await errorOf(await ask("sim/error?kind=context"))).toMatchObject({ code: "context_length_exceeded" });
    const cut = chunksOf(await (await ask("sim/cut?after=3", { stream: true, max_tokens: 20 })).text());
    expect(cut.chunks).toHaveLength(3);
    expect(cut).toMatchObject({ isDone: false, error: { code: "upstream_unreachable" } });
  });
});

describe("an upstream that supports text completions", () => {
  test("receives the caller's bytes, and its response is returned with the caller's model name", async ({
    gateway,
    upstreams,
  }) => {
    const upstream = JSON.stringify(upstreamAnswer("Grüße, 世界 😀"));
    upstreams.alpha.replies(200, upstream);
    const body = '{"model":"fake/x", "prompt":[[1,2],[3]],"max_tokens": 7,"odd":{"k":[1.50]},"metadata":{"a":"b"}}';
    const answer = await gateway.post("/v1/completions", body);
    expect(await answer.text()).toBe(upstream.replace('"upstream"', '"fake/x"'));
    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe("/v1/completions");
    expect(received.body.toString()).toBe('{"model":"x", "prompt":[[1,2],[3]],"max_tokens": 7,"odd":{"k":[1.50]}}');
  });

  test("receives the default max_tokens and the default prompt if the request has neither", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, upstreamAnswer());
    expect((await gateway.post("/completions", { model: "fake/x", prompt: null })).status).toBe(200);
    expect((await upstreams.alpha.ended(0)).json()).toEqual({ model: "x", prompt: "<|endoftext|>", max_tokens: 16 });
  });

  test("receives include_usage for a stream, but only callers that request usage get usage", async ({
    gateway,
    upstreams,
  }) => {
    const { usage, ...head } = upstreamAnswer();
    const frames = [
      { ...head, usage: null },
      { ...head, choices: [], usage },
    ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    upstreams.alpha.streams([...frames, "data: [DONE]\n\n"]);
    const ask = async (fields: object) =>
      chunksOf(
        await (await gateway.post("/completions", { model: "fake/x", prompt: "x", stream: true, ...fields })).text(),
      );
    const quiet = await ask({});
    expect(quiet).toMatchObject({ isDone: true, chunks: [{ object: "text_completion", model: "fake/x" }] });
    expect(quiet.chunks).toHaveLength(1);
    expect((await ask({ stream_options: { include_usage: true } })).chunks.at(-1)).toMatchObject({
      choices: [],
      usage,
    });
    expect((await upstreams.alpha.ended(0)).json()).toMatchObject({ stream_options: { include_usage: true } });
    expect(gateway.records.map(({ usage: used }) => [used.inputTokens, used.outputTokens])).toEqual([
      [5, 2],
      [5, 2],
    ]);
  });

  test("has its calls charged based on an estimate if it reports no usage", async ({ gateway, upstreams }) => {
    const { usage: _, ...bare } = upstreamAnswer("word ".repeat(40));
    upstreams.alpha.replies(200, bare);
    await gateway.post("/completions", { model: "fake/x", prompt: ["one two three", "four"], max_tokens: 50 });
    upstreams.alpha.streams([`data: ${JSON.stringify(bare)}\n\n`, "data: [DONE]\n\n"]);
    await (await gateway.post("/completions", { model: "fake/x", prompt: [7, 8, 9], stream: true })).text();
    expect(gateway.records.map(({ usage }) => usage)).toMatchObject([
      { inputTokens: 4, source: "estimated" },
      { inputTokens: 3, source: "estimated" },
    ]);
    for (const { usage } of gateway.records) expect(usage.outputTokens).toBeGreaterThanOrEqual(40);
  });
});
