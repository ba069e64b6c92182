import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { test } from "./chat-gateway.fixture.ts";

const PAGE = new URL("../../../../../docs/reference/refusals.md", import.meta.url);

interface Refused {
  readonly path?: string;
  /** Fields in addition to a valid request, or the whole body as text. */
  readonly body: Readonly<Record<string, unknown>> | string;
}

const messages = [{ role: "user", content: "hello" }];
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const embed = (fields: object): Refused => ({
  path: "/v1/embeddings",
  body: { model: "sim/embed", input: "x", messages: undefined, ...fields },
});

const respond = (container: object | string): Refused => ({
  path: "/v1/responses",
  body: {
    model: "sold",
    input: "x",
    messages: undefined,
    tools: [
      {
        type: "code_interpreter",
        container: typeof container === "string" ? container : { type: "auto", ...container },
      },
    ],
  },
});

/** Requests for each row of the page, by the row's first column. Every request must get the row's response. */
const requests: Readonly<Record<string, readonly Refused[]>> = {
  "A tool that the provider runs and bills, without a price": [
    { body: { tools: [{ type: "web_search_preview" }] } },
    { body: { tools: [{ googleSearch: {} }] } },
    { body: { model: "claude", tools: [{ type: "code_execution_20250825", name: "code_execution" }] } },
  ],
  "A tool that the provider runs and bills, in chat completions of a provider with OpenAI's API": [
    { body: { model: "sold", tools: [{ type: "web_search" }] } },
    { body: { model: "sold", tools: [{ type: "code_interpreter" }] } },
  ],
  "A field that changes the provider's bill, without a price, such as `web_search_options`": [
    { body: { web_search_options: {} } },
  ],
  "A code interpreter with another `container.memory_limit` than `1g`": [respond({ memory_limit: "4g" })],
  "`web_search_options.search_type`, other than `fast`": [
    { body: { model: "sold", web_search_options: { search_type: "pro" } } },
    { body: { model: "sold", web_search_options: { search_type: "auto" } } },
  ],
  "A field that is not on the provider's list": [{ body: { frobnicate: 1 } }],
  "A chat, message, response, or text completion of a model that has a price per image, per character, or per second, and none per output token":
    [
      { body: { model: "painter" } },
      { path: "/v1/responses", body: { model: "painter", input: "x", messages: undefined } },
      { path: "/v1/completions", body: { model: "painter", prompt: "x", messages: undefined } },
    ],
  "`service_tier` without a price, other than `auto` and `default`": [{ body: { service_tier: "flex" } }],
  "`service_tier: batch`": [{ body: { model: "sold", service_tier: "batch" } }],
  "`n` below 1": [{ body: { n: 0 } }],
  "`n` above 128": [{ body: { n: 129 } }],
  "`max_tokens` or `max_completion_tokens` below 1": [
    { body: { max_tokens: 0 } },
    { body: { max_completion_tokens: -1 } },
  ],
  "A field that determines the cost, such as `n`, in `extra_body`": [{ body: { extra_body: { n: 2 } } }],
  "A field that determines the cost in a fallback": [{ body: { fallbacks: [{ model: "sim/echo", n: 2 }] } }],
  "`api_base`, `logger_fn`, `gw_logging_obj`, or another field that chooses URLs, credentials, prices, or logging": [
    { body: { api_base: "https://example.com" } },
    { body: { logger_fn: "print" } },
    embed({ gw_logging_obj: {} }),
    { body: { input_cost_per_token: 0 } },
  ],
  "`api_key` for a model that does not take [callers' own keys](../guides/own-keys.md)": [
    { body: { api_key: "sk-mine" } },
    embed({ api_key: "sk-mine" }),
  ],
  "The ID of a file": [
    { body: { model: "sold", messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }] } },
    {
      path: "/v1/responses",
      body: {
        model: "sold",
        input: [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }],
        messages: undefined,
      },
    },
  ],
  "An input item with only an ID, or with an escaped `item_reference`": [
    { path: "/v1/responses", body: { model: "sold", input: [{ id: "msg_1" }], messages: undefined } },
    { path: "/v1/responses", body: `{"model":"sold","input":[{"type":"item_\\u0072eference","id":"msg_1"}]}` },
  ],
  "A code interpreter with `container.file_ids`": [respond({ file_ids: ["file-1"] })],
  "A file search of the provider (`file_search`, `collections_search`)": [
    {
      path: "/v1/responses",
      body: {
        model: "sold",
        input: "x",
        messages: undefined,
        tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }],
      },
    },
  ],
  "A code interpreter with the ID of a container": [respond("cntr_1")],
  "Google Maps with other options than `enableWidget`": [
    { body: { model: "flash", tools: [{ googleMaps: { authConfig: {} } }] } },
  ],
  "A value that refers to an environment variable (`os.environ/…`)": [{ body: { user: "os.environ/HOME" } }],
  "JSON with more than 64 levels, 10,000 keys, or 200,000 values": [
    { body: `{"model":"sim/echo","x":${"[".repeat(70)}${"]".repeat(70)}}` },
    { body: { metadata: Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, 1])) } },
    { body: { stop: many(200_001, 1) } },
  ],
  "JSON with a repeated top-level key, or with a key such as `__proto__`": [
    { body: '{"model":"sim/echo","model":"alpha","messages":[]}' },
    { body: '{"model":"sim/echo","messages":[],"metadata":{"__proto__":1}}' },
  ],
  "More than 10,000 messages, content parts, tools, or `stop` sequences": [{ body: { stop: many(10_001, "x") } }],
  "More than 64 fallbacks": [{ body: { fallbacks: many(65, "sim/echo") } }],
  "More than 4 fallbacks that change the request": [
    {
      body: {
        fallbacks: ["echo", "paid", "lorem", "json", "tools"].map((name) => ({ model: `sim/${name}`, temperature: 1 })),
      },
    },
  ],
  "More than 64 guardrails or tags": [{ body: { guardrails: many(65, "x") } }, { body: { tags: many(65, "x") } }],
  "More than 2,048 inputs in one embedding request": [embed({ input: many(2_049, "x") })],
  "An embedding `timeout` below one second": [embed({ timeout: 0 })],
  "A model name with more than 512 characters": [{ body: { model: "x".repeat(513) } }],
  "No body, or a body that is not JSON": [{ body: "" }, { body: "{" }],
  "`top_logprobs` without `logprobs`": [{ body: { top_logprobs: 2 } }],
  "`stream_options` without `stream`": [{ body: { stream_options: { include_usage: true } } }],
  "A `tool` message that answers no tool call": [
    { body: { messages: [{ role: "tool", tool_call_id: "c", content: "x" }] } },
  ],
  "A message with another role than the six roles": [{ body: { messages: [{ role: "robot", content: "x" }] } }],
  "A content part of another type than text, image, audio, video, file, or refusal": [
    { body: { messages: [{ role: "user", content: [{ type: "smell" }] }] } },
  ],
  "An embedding request without input": [embed({ input: [] }), embed({ input: null })],
  "`response_format` of another type than `text`, `json_object`, or `json_schema`": [
    { body: { model: "claude", response_format: { type: "grammar" } } },
    { body: { model: "flash", response_format: { type: "grammar" } } },
  ],
  "`tool_choice` of another form than OpenAI's or `any`": ["claude", "flash"].map((model) => ({
    body: { model, tools: [{ type: "function", function: { name: "f" } }], tool_choice: "perhaps" },
  })),
  "A tool of type `custom`": ["claude", "flash"].map((model) => ({
    body: { model, tools: [{ type: "custom", custom: { name: "f" } }] },
  })),
  "A conversation without messages": [{ body: { model: "claude", messages: [] } }],
};

const prices =
  "input_cost_per_token: 0, output_cost_per_token: 0, web_search_cost_per_query: 0.01, code_interpreter_cost_per_session: 0.03";

interface Row {
  readonly name: string;
  readonly status: number;
  readonly code: string;
}

/** Reads the tables of refusals from the page. */
function readRows(): readonly Row[] {
  const row = /^\| (?<name>.+?) \| (?<status>[45]\d\d) `(?<code>\w+)` \| \S.* \|$/;
  return readFileSync(PAGE, "utf8")
    .split("\n")
    .flatMap((line) => {
      const { name, status, code } = row.exec(line)?.groups ?? {};
      return name === undefined || code === undefined ? [] : [{ name, status: Number(status), code }];
    });
}

const rows = readRows();

describe("the page of refusals", () => {
  test("lists the refusals that are tested here, and no other", () => {
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(requests));
  });

  test.for(rows)("is right about: $name", async ({ name, status, code }, { start, upstreams }) => {
    const gateway = await start({
      yaml: `
  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5, api_base: "${upstreams.alpha.origin}", api_key: k } }
  - { model_name: flash, litellm_params: { model: gemini/gemini-2.5-flash, api_base: "${upstreams.alpha.origin}", api_key: k, tool_cost_per_call: 0.025 } }
  - { model_name: painter, litellm_params: { model: gemini/gemini-2.5-flash-image, api_base: "${upstreams.alpha.origin}", api_key: k } }
  - { model_name: sold, litellm_params: { model: openai/x, api_base: "${upstreams.alpha.origin}/v1", api_key: k, ${prices} } }
billing: { provider: fake }`,
    });
    for (const { path = "/v1/chat/completions", body } of requests[name] ?? []) {
      const sent = typeof body === "string" ? body : { model: "sim/echo", messages, ...body };
      const answer = await gateway.post(path, sent);
      const { error } = (await answer.json()) as { error?: { code: string } };
      expect([answer.status, error?.code], JSON.stringify(sent).slice(0, 200)).toEqual([status, code]);
    }
    expect(upstreams.alpha.requests).toEqual([]);
  });
});
