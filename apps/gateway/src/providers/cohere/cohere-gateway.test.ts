import { describe, expect } from "vitest";
import { test as base, chunksOf, errorOf } from "../../http/routes/chat-gateway.fixture.ts";
import { fromBase64 } from "../../operations/embeddings/vector-encoding.ts";

const KEY = "co-0123456789abcdefghij";
const events = { "content-type": "text/event-stream" };

/** Extends `test` with a gateway whose groups are Cohere models, served by a fake upstream. */
const test = base.extend("cohere", async ({ start, upstreams }) => {
  const target = `api_base: "${upstreams.beta.origin}", api_key: ${KEY}`;
  const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004";
  return start({
    yaml: `
  - { model_name: command, litellm_params: { model: cohere/command-a-03-2025, ${target}, ${prices} } }
  - { model_name: thinker, litellm_params: { model: cohere_chat/command-a-reasoning-08-2025, api_base: "${upstreams.beta.origin}/v2", api_key: ${KEY}, ${prices} } }
  - { model_name: vectors, litellm_params: { model: cohere/embed-v4.0, ${target}, input_cost_per_token: 0.000001 }, model_info: { mode: embedding } }
  - { model_name: sorter, litellm_params: { model: cohere/rerank-v3.5, ${target} } }
`,
  });
});

const usage = {
  billed_units: { input_tokens: 5, output_tokens: 3 },
  tokens: { input_tokens: 71, output_tokens: 3 },
};
const tools = [
  { type: "function", function: { name: "weather", strict: true, parameters: { type: "object", properties: {} } } },
  { type: "function", function: { name: "clock" } },
];
const frames = (list: readonly ({ readonly type: string } & object)[]) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const delta = (type: string, message: object, more: object = {}) => ({ type, ...more, delta: { message } });
const ending = (reason: string) => ({ type: "message-end", delta: { finish_reason: reason, usage } });

describe("Cohere chat", () => {
  test("translates the request and the response, and charges for the tokens that Cohere bills", async ({
    cohere,
    upstreams,
  }) => {
    const cited = {
      start: 0,
      end: 3,
      text: "Für",
      sources: [
        { type: "document", id: "d1", document: { title: "A page", url: "https://example.com/a" } },
        { type: "document", id: "d2", document: { snippet: "no address" } },
      ],
    };
    upstreams.beta.replies(200, {
      id: "c14c80c3",
      finish_reason: "MAX_TOKENS",
      message: { role: "assistant", content: [{ type: "text", text: "Für alle." }], citations: [cited] },
      usage,
    });
    const answer = await cohere.chat({
      model: "command",
      messages: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Wofür?" },
            { type: "image_url", image_url: "data:image/png;base64,AA==" },
          ],
        },
      ],
      top_p: 0.5,
      stop: "END",
      max_completion_tokens: 9,
      response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } },
      documents: [{ data: { snippet: "a" } }],
    });
    expect(await answer.json()).toMatchObject({
      id: "chatcmpl-c14c80c3",
      model: "command",
      choices: [
        {
          message: {
            content: "Für alle.",
            annotations: [
              {
                type: "url_citation",
                url_citation: { start_index: 0, end_index: 3, title: "A page", url: "https://example.com/a" },
              },
            ],
          },
          finish_reason: "length",
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    });
    const request = await upstreams.beta.ended(0);
    expect(request.path).toBe("/v2/chat");
    expect(request.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request.json()).toEqual({
      model: "command-a-03-2025",
      stream: false,
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Wofür?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
      ],
      max_tokens: 9,
      stop_sequences: ["END"],
      p: 0.5,
      response_format: { type: "json_object", json_schema: { type: "object" } },
      documents: [{ data: { snippet: "a" } }],
    });
    // 5 input tokens and 3 output tokens are billed, although the model read 71 input tokens.
    expect(cohere.records).toMatchObject([{ provider: "cohere", status: "success", cost: 17_000n }]);
  });

  test("returns the tool plan as content, and sends that content back to Cohere as a tool plan", async ({
    cohere,
    upstreams,
  }) => {
    const called = { id: "weather_1", type: "function", function: { name: "weather", arguments: '{"city":"Köln"}' } };
    upstreams.beta.replies(200, {
      id: "1",
      finish_reason: "TOOL_CALL",
      message: { role: "assistant", tool_plan: "I will look.", tool_calls: [called] },
      usage,
    });
    const ask = (messages: readonly object[], more: object = {}) =>
      cohere.chat({ model: "command", messages, tools, ...more });
    const question = { role: "user", content: "?" };
    const choice = { type: "function", function: { name: "weather" } };
    const first = (await (await ask([question], { tool_choice: choice })).json()) as Chat;
    expect(first.choices[0]).toMatchObject({
      message: { content: "I will look.", tool_calls: [called] },
      finish_reason: "tool_calls",
    });
    expect((await upstreams.beta.ended(0)).json()).toMatchObject({
      tools: [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }],
      tool_choice: "REQUIRED",
      strict_tools: true,
    });
    const result = { role: "tool", tool_call_id: "weather_1", content: [{ type: "text", text: "20 °C" }] };
    await ask([question, first.choices[0].message, result]);
    expect((await upstreams.beta.ended(1)).json()).toMatchObject({
      messages: [
        question,
        { role: "assistant", tool_plan: "I will look.", tool_calls: [called] },
        { role: "tool", tool_call_id: "weather_1", content: "20 °C" },
      ],
    });
  });

  test("streams reasoning, text, tool calls, and citations, however the network splits the stream", async ({
    cohere,
    upstreams,
  }) => {
    const all = frames([
      delta("message-start", { role: "assistant" }, { id: "s1" }),
      delta("content-start", { content: { type: "thinking", thinking: "" } }, { index: 0 }),
      delta("content-delta", { content: { thinking: "Hm." } }, { index: 0 }),
      delta("content-delta", { content: { text: "Größe" } }, { index: 1 }),
      delta("citation-start", {
        citations: {
          start: 0,
          end: 5,
          sources: [{ type: "tool", id: "a", tool_output: { url: "https://example.com" } }],
        },
      }),
      delta("tool-plan-delta", { tool_plan: " I look." }),
      delta("tool-call-start", {
        tool_calls: { id: "w1", type: "function", function: { name: "weather", arguments: "" } },
      }),
      delta("tool-call-delta", { tool_calls: { function: { arguments: '{"a"' } } }),
      delta("tool-call-delta", { tool_calls: { function: { arguments: ":1}" } } }),
      { type: "tool-call-end" },
      delta("tool-call-start", {
        tool_calls: { id: "c1", type: "function", function: { name: "clock", arguments: "" } },
      }),
      { type: "tool-call-end" },
      { type: "something-new" },
      ending("TOOL_CALL"),
    ]).join("");
    const bytes = Buffer.from(all);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 37) }, (_, at) =>
      bytes.subarray(at * 37, at * 37 + 37),
    );
    upstreams.beta.streams(pieces, { headers: events });
    const asked = { model: "thinker", stream: true, stream_options: { include_usage: true }, reasoning_effort: "low" };
    const { chunks, isDone } = chunksOf(await (await cohere.chat({ ...asked, tools })).text());
    expect(isDone).toBe(true);
    const deltas = (chunks as unknown as readonly Chunk[]).flatMap(({ choices }) => choices.map((one) => one.delta));
    const joined = (name: string) => deltas.map((one) => one[name] ?? "").join("");
    expect(deltas[0]).toEqual({ role: "assistant", reasoning_content: "Hm." });
    expect(joined("content")).toBe("Größe I look.");
    expect(deltas.flatMap(({ annotations }) => annotations ?? [])).toMatchObject([
      { url_citation: { start_index: 0, end_index: 5, url: "https://example.com" } },
    ]);
    expect(deltas.flatMap(({ tool_calls: calls }) => calls ?? [])).toEqual([
      { index: 0, id: "w1", type: "function", function: { name: "weather", arguments: "" } },
      { index: 0, function: { arguments: '{"a"' } },
      { index: 0, function: { arguments: ":1}" } },
      { index: 1, id: "c1", type: "function", function: { name: "clock", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
    ]);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } });
    const request = await upstreams.beta.ended(0);
    expect(request.path).toBe("/v2/chat");
    expect(request.json()).toMatchObject({ thinking: { type: "enabled", token_budget: 1_024 }, stream: true });
    expect(cohere.records).toMatchObject([{ cost: 17_000n, isStream: true, status: "success" }]);
  });

  test("fails if the stream is truncated or ends with an error, and charges for the partial output", async ({
    cohere,
    upstreams,
  }) => {
    const begun = [{ type: "message-start", id: "s1" }, delta("content-delta", { content: { text: "one two three" } })];
    upstreams.beta.streams(frames(begun), { headers: events });
    const cut = chunksOf(await (await cohere.chat({ model: "command", stream: true })).text());
    expect(cut).toMatchObject({ isDone: false, error: { code: "bad_gateway" } });
    upstreams.beta.streams(frames([...begun, ending("ERROR")]), { headers: events });
    const broken = chunksOf(await (await cohere.chat({ model: "command", stream: true })).text());
    expect(broken).toMatchObject({ isDone: false, error: { code: "bad_gateway" } });
    expect(cohere.records.map(({ status, cost }) => status === "failure" && cost > 0n)).toEqual([true, true]);
  });

  test.for([
    [498, { message: "invalid api token" }, 500, "internal_error"],
    [400, { message: "too many tokens: size limit exceeded by 4 tokens" }, 400, "context_length_exceeded"],
    [404, { message: "model 'x' not found" }, 404, "model_not_found"],
    [429, { message: "trial limit" }, 429, "upstream_rate_limit"],
    [503, { message: "secret details" }, 503, "service_unavailable"],
  ] as const)(
    "converts an upstream error with status %d to a gateway error",
    async ([status, body, reported, code], { cohere, upstreams }) => {
      upstreams.beta.replies(status, body);
      const answer = await cohere.chat({ model: "command" });
      expect(answer.status).toBe(reported);
      expect(await errorOf(answer)).toMatchObject({ code });
    },
  );

  test("rejects unsupported parameters before it sends a request", async ({ cohere, upstreams }) => {
    for (const fields of [{ n: 2 }, { logit_bias: { 1: 1 } }, { extra_body: { max_tokens: 5 } }]) {
      expect((await cohere.chat({ model: "command", ...fields })).status).toBe(400);
    }
    expect(upstreams.beta.requests).toHaveLength(0);
  });
});

test("returns embeddings in the requested encoding and charges for the tokens that Cohere bills", async ({
  cohere,
  upstreams,
}) => {
  const vectors = [
    [0.5, -1],
    [0.25, 2],
  ];
  upstreams.beta.replies(200, {
    id: "e",
    embeddings: { float: vectors },
    texts: ["a", "b"],
    meta: { billed_units: { input_tokens: 7 } },
  });
  const body = { model: "vectors", input: ["a", "b"], dimensions: 256, encoding_format: "base64" };
  const answer = await cohere.post("/v1/embeddings", { ...body, input_type: "search_query" });
  const { data, usage: reported } = (await answer.json()) as { data: { embedding: string }[]; usage: object };
  expect(data.map(({ embedding }) => fromBase64(embedding))).toEqual(vectors);
  expect(reported).toEqual({ prompt_tokens: 7, total_tokens: 7 });
  const request = await upstreams.beta.ended(0);
  expect(request.path).toBe("/v2/embed");
  expect(request.json()).toEqual({
    model: "embed-v4.0",
    texts: ["a", "b"],
    input_type: "search_query",
    embedding_types: ["float"],
    output_dimension: 256,
  });
  expect(cohere.records).toMatchObject([{ cost: 7_000n, usage: { inputTokens: 7 } }]);
  const tooMany = await cohere.post("/v1/embeddings", {
    model: "vectors",
    input: Array.from({ length: 97 }, () => "x"),
  });
  expect(await errorOf(tooMany)).toMatchObject({ code: "invalid_request", param: "input" });
});

test("charges rerank requests by search units, not by tokens", async ({ cohere, upstreams }) => {
  upstreams.beta.replies(200, {
    id: "r1",
    results: [
      { index: 2, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.1 },
    ],
    meta: { api_version: { version: "2" }, billed_units: { search_units: 2 } },
  });
  const documents = ["eins", { title: "T", text: "zwei" }, { text: "drei" }];
  const answer = await cohere.post("/v2/rerank", {
    model: "sorter",
    query: "wo?",
    documents,
    top_n: 2,
    rank_fields: ["title", "text"],
    return_documents: true,
    max_chunks_per_doc: 2,
  });
  expect(await answer.json()).toMatchObject({
    id: "r1",
    results: [
      { index: 2, relevance_score: 0.9, document: { text: "drei" } },
      { index: 0, relevance_score: 0.1, document: { text: "eins" } },
    ],
    meta: { billed_units: { search_units: 2 } },
  });
  expect((await upstreams.beta.ended(0)).path).toBe("/v2/rerank");
  expect((await upstreams.beta.ended(0)).json()).toEqual({
    model: "rerank-v3.5",
    query: "wo?",
    documents: ["eins", "title: T\ntext: zwei", "text: drei"],
    top_n: 2,
    max_tokens_per_doc: 1_000,
  });
  expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("4000000");
  expect(cohere.records).toMatchObject([
    { provider: "cohere", cost: 4_000_000n, usage: { searches: 2, source: "reported" } },
  ]);
});

interface Chat {
  readonly choices: readonly [{ readonly message: object }];
}

interface Chunk {
  readonly choices: readonly { readonly delta: Readonly<Record<string, unknown>> }[];
}
