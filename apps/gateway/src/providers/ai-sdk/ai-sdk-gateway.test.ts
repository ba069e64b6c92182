import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { test as base, chunksOf, errorOf, readerOf } from "../../http/routes/chat-gateway.fixture.ts";
import { adapted, INPUT, SAID } from "./adapted-answers.fixture.ts";

const KEY = "adapter-key-0123456789";
const events = { "content-type": "text/event-stream" };
const packages = Object.entries(adapted);
const tools = [
  {
    type: "function",
    function: { name: "weather", description: "Now.", parameters: { type: "object", properties: {} } },
  },
];

/** Extends `test` with a gateway that has a model group for each package. One fake upstream serves all providers. */
const test = base.extend("adapters", async ({ start, upstreams }) => {
  const target = `api_base: "${upstreams.beta.origin}/base", api_key: ${KEY}`;
  const prices =
    "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004, cache_read_input_token_cost: 0.0000001";
  const rows = packages.map(
    ([name]) =>
      `  - { model_name: "${name}", litellm_params: { model: ai_sdk/upstream, ai_sdk: "${name}", ${target}, ${prices}, on_disconnect: abort } }`,
  );
  return start({ yaml: rows.join("\n") });
});

describe.for(packages)("%s", ([name, { path, whole, stream, calling }]) => {
  test("returns a chat response for images and charges for the reported usage", async ({ adapters, upstreams }) => {
    upstreams.beta.replies(200, whole);
    const content = [
      { type: "text", text: "Was?" },
      ...(/xai|togetherai|fireworks|mistral|groq/.test(name)
        ? [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }]
        : []),
    ];
    const messages = [
      { role: "developer", content: "Be brief." },
      { role: "user", content },
    ];
    const answer = await adapters.chat({ model: name, messages, max_tokens: 50, temperature: 0.5 });
    expect(await answer.json()).toMatchObject({
      object: "chat.completion",
      model: name,
      choices: [{ message: { role: "assistant", content: SAID }, finish_reason: "stop" }],
      usage: { prompt_tokens: 20, completion_tokens: 7 },
    });
    const request = await upstreams.beta.ended(0);
    expect(request.path).toBe(`/base${path}`);
    expect(request.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request.body.toString()).toContain("Was?");
    expect(request.json()).toMatchObject({ model: "upstream", temperature: 0.5 });
    expect(request.body.toString().includes("iVBORw0KGgo=")).toBe(content.length === 2);
    // The prompt has 16 uncached and 4 cached tokens, or 20 uncached tokens if the provider doesn't report cached
    // tokens. The output has 7 tokens.
    const [record] = adapters.records;
    const cached = record?.usage.cacheReadTokens ?? 0;
    expect(record).toMatchObject({ provider: "ai_sdk", status: "success", usage: { outputTokens: 7 } });
    expect(record?.cost).toBe(BigInt(20 - cached) * 1_000n + BigInt(cached) * 100n + 28_000n);
  });

  test("streams text and tool calls, and charges once", async ({ adapters, upstreams }) => {
    const ask = async (more: object) => {
      const answer = await adapters.chat({ model: name, stream: true, ...more });
      return chunksOf(await answer.text()) as unknown as Streamed;
    };
    upstreams.beta.streams(stream, { headers: events });
    const text = await ask({ stream_options: { include_usage: true } });
    expect(text.isDone).toBe(true);
    expect(
      deltasOf(text)
        .map(({ content }) => content ?? "")
        .join(""),
    ).toBe(SAID);
    expect(text.chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
    expect(text.chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 7 } });
    expect(adapters.records).toMatchObject([{ isStream: true, status: "success", usage: { outputTokens: 7 } }]);
    // Perplexity's package doesn't support functions.
    if (name === "@ai-sdk/perplexity") return;
    upstreams.beta.streams(calling, { headers: events });
    const called = await ask({ tools, tool_choice: "auto" });
    const calls = deltasOf(called).flatMap(({ tool_calls: pieces }) => pieces ?? []);
    expect(calls[0]).toMatchObject({
      index: 0,
      id: expect.any(String),
      type: "function",
      function: { name: "weather" },
    });
    expect(calls.map((piece) => piece.function.arguments ?? "").join("")).toBe(INPUT);
    expect(called.chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
    expect(called.chunks.some((chunk) => "usage" in chunk)).toBe(false);
    expect((await upstreams.beta.ended(1)).body.toString()).toContain('"weather"');
  });

  test("passes on a provider's rate limit error with its code and Retry-After", async ({ adapters, upstreams }) => {
    upstreams.beta.replies(429, { error: { message: "slow down", type: "rate_limit" } }, { "retry-after": "7" });
    const answer = await adapters.chat({ model: name });
    expect(answer.status).toBe(429);
    expect(await errorOf(answer)).toMatchObject({ code: "upstream_rate_limit" });
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(upstreams.beta.requests).toHaveLength(1);
  });
});

const one = { model: "@ai-sdk/deepseek" };

test.for(["maxCompletionTokens", "maxOutputTokens", "max_new_tokens"])(
  "rejects a package-specific name for max output tokens, because the hold doesn't account for it: %s",
  async (name, { adapters, upstreams }) => {
    upstreams.beta.replies(200, adapted["@ai-sdk/togetherai"]?.whole);
    for (const extra of [{ [name]: 90_000 }, { extra_body: { [name]: 90_000 } }]) {
      const answer = await adapters.chat({ model: "@ai-sdk/togetherai", max_tokens: 5, ...extra });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(name)]);
    }
    expect(upstreams.beta.requests).toHaveLength(0);
  },
);

test("sends all turns of a tool-call conversation to the model", async ({ adapters, upstreams }) => {
  upstreams.beta.replies(200, adapted["@ai-sdk/deepseek"]?.whole);
  const called = { id: "call1", type: "function", function: { name: "weather", arguments: INPUT } };
  const messages = [
    { role: "user", content: "?" },
    { role: "assistant", content: "I look.", tool_calls: [called] },
    { role: "tool", tool_call_id: "call1", content: [{ type: "text", text: "20 °C" }] },
  ];
  const format = { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } };
  await (await adapters.chat({ ...one, messages, tools, response_format: format, stop: "END" })).text();
  const { messages: sent, ...rest } = (await upstreams.beta.ended(0)).json() as { messages: Sent[] };
  const said = sent.filter(({ role }) => role !== "system");
  expect(said).toMatchObject([{ role: "user" }, { role: "assistant", content: "I look." }, { role: "tool" }]);
  expect(JSON.parse(said[1]?.tool_calls?.[0]?.function.arguments ?? "")).toEqual(JSON.parse(INPUT));
  expect(said[2]).toMatchObject({ tool_call_id: "call1", content: "20 °C" });
  expect(rest).toMatchObject({ stop: ["END"], response_format: { type: "json_object" }, tools });
});

test("aborts the adapter call on client disconnect and on timeout", async ({ adapters, upstreams }) => {
  const [first = ""] = adapted["@ai-sdk/deepseek"]?.stream ?? [];
  upstreams.beta.streams([first], { headers: events, hangAfterFrames: 1 });
  const leaving = new AbortController();
  const stream = await readerOf(adapters.chat({ ...one, stream: true }), leaving);
  await waitFor("the first words", () => stream.text.includes("Grö"));
  leaving.abort();
  expect((await upstreams.beta.ended(0)).end?.kind).toBe("aborted");
  upstreams.beta.hangs();
  const late = adapters.chat({ ...one, timeout: 2 });
  expect((await upstreams.beta.ended(1)).end?.kind).toBe("aborted");
  expect(await errorOf(await late)).toMatchObject({ code: "timeout" });
});

test("reports upstream errors, truncated streams, and malformed responses as with any other provider", async ({
  adapters,
  upstreams,
}) => {
  const codeOf = async (more: object = {}) => (await errorOf(await adapters.chat({ ...one, ...more }))).code;
  upstreams.beta.replies(200, "<html>");
  expect(await codeOf()).toBe("bad_gateway");
  upstreams.beta.replies(500, { error: { message: "secret details" } });
  expect(await codeOf()).toBe("internal_error");
  upstreams.beta.replies(401, { error: { message: "wrong key" } });
  expect(await errorOf(await adapters.chat(one))).toMatchObject({ message: "upstream credential rejected" });
  const [first] = adapted["@ai-sdk/deepseek"]?.stream ?? [];
  upstreams.beta.streams([first ?? ""], { headers: events });
  const cut = chunksOf(await (await adapters.chat({ ...one, stream: true })).text());
  expect(cut.isDone).toBe(false);
  expect(cut.error).toMatchObject({ code: "bad_gateway" });
});

test("creates embeddings with packages that support them, and returns 404 for other packages", async ({
  adapters,
  upstreams,
}) => {
  const data = [{ object: "embedding", index: 0, embedding: [0.5, -1] }];
  upstreams.beta.replies(200, { object: "list", model: "m", data, usage: { prompt_tokens: 3, total_tokens: 3 } });
  const ask = (model: string) => adapters.post("/v1/embeddings", { model, input: "x", encoding_format: "float" });
  expect(await (await ask("@ai-sdk/mistral")).json()).toMatchObject({ data, usage: { prompt_tokens: 3 } });
  expect(adapters.records).toMatchObject([{ cost: 3_000n }]);
  expect((await ask("@ai-sdk/groq")).status).toBe(404);
});

interface Streamed {
  readonly isDone: boolean;
  readonly chunks: readonly { readonly choices: readonly { readonly delta: Delta }[] }[];
}

interface Delta {
  readonly content?: string;
  readonly tool_calls?: readonly { readonly function: { readonly arguments?: string } }[];
}

interface Sent {
  readonly role: string;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

const deltasOf = ({ chunks }: Streamed) => chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
