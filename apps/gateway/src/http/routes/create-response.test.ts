import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { test } from "../../responses/responses-gateway.fixture.ts";

const answered = {
  id: "resp_upstream",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt-5.1-2025",
  metadata: {},
  store: false,
  previous_response_id: null,
  output: [
    { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA" },
    {
      id: "msg_1",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Grüße, 世界", annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 2 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 17,
  },
};
const event = (type: string, fields: object, number: number) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`;
const running = { ...answered, status: "in_progress", output: [], usage: null };
const frames = [
  event("response.created", { response: running }, 0),
  event("response.in_progress", { response: running }, 1),
  event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "Grüße, " }, 2),
  event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "世界" }, 3),
  event("response.completed", { response: answered }, 4),
];
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "plain-1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usageChunk = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "plain-1", choices: [], usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 } })}\n\n`;
const weather = {
  type: "function",
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

describe("a model with the Responses API", () => {
  test("receives the caller's body with store: false, and its response has the gateway's ID and model name", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, answered);
    const body = {
      model: "native",
      input: "Sag hallo, 世界",
      metadata: { a: "ü" },
      x_odd: { k: 1 },
      reasoning: { effort: "low" },
    };
    const response = await gateway.mine.respond(body);
    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe("/v1/responses");
    const { metadata: _, ...sent } = body;
    expect(received.json()).toEqual({
      ...sent,
      model: "gpt-5.1",
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(response).toEqual({
      ...answered,
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      model: "native",
      store: true,
      metadata: { a: "ü" },
    });
    const usage = { inputTokens: 10, cacheReadTokens: 2, outputTokens: 5, reasoningTokens: 3, source: "reported" };
    expect(gateway.records[0]).toMatchObject({ usage });
  });

  test("streams its events unchanged, except for the ID and model name of the response", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.streams(frames);
    const answer = await gateway.mine.create({ model: "native", input: "hello", stream: true, store: false });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const text = await answer.text();
    const id = /resp_[0-9a-f]{32}/.exec(text)?.[0] ?? "";
    expect(text).toBe(
      frames.join("").replaceAll('"resp_upstream"', `"${id}"`).replaceAll('"gpt-5.1-2025"', '"native"'),
    );
    expect(gateway.records[0]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, source: "reported" });
  });

  test("is replaced by its fallback if it fails before any output", async ({ gateway, upstreams }) => {
    const error = { code: "rate_limit_exceeded", message: "Slow down." };
    upstreams.alpha.streams([
      frames[0] ?? "",
      event("response.failed", { response: { ...running, status: "failed", error } }, 1),
    ]);
    upstreams.beta.streams(frames);
    const events = await gateway.mine.stream({ model: "native", input: "hello", fallbacks: ["other"] });
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { model: "other", status: "completed" },
    });
    expect(events.filter(({ type }) => type === "response.created")).toHaveLength(1);
  });

  test("is charged what is held for it if its last event, which has the usage, is too large to read", async ({
    gateway,
    upstreams,
  }) => {
    const output = [{ id: "mcp_1", type: "mcp_call", output: " ".repeat(5 * 1024 * 1024) }];
    const last = event("response.completed", { response: { ...answered, output } }, 4);
    upstreams.alpha.streams([...frames.slice(0, -1), last]);
    const answer = await gateway.mine.create({
      model: "native",
      input: "hi",
      stream: true,
      max_output_tokens: 900,
    });
    expect(await answer.text()).toContain("response.failed");
    expect(gateway.records[0]?.usage).toMatchObject({ outputTokens: 900, source: "estimated" });
  });

  test("repeats instructions of any length in its events", async ({ gateway, upstreams }) => {
    const instructions = "é ".repeat(1_500_000);
    upstreams.alpha.streams([
      ...frames.slice(0, -1),
      event("response.completed", { response: { ...answered, instructions } }, 4),
    ]);
    const body = { model: "native", input: "hi", stream: true, store: false, instructions };
    expect(await (await gateway.mine.create(body)).text()).toContain("response.completed");
    expect(gateway.records[0]?.usage).toMatchObject({ outputTokens: 5, source: "reported" });
  });

  test("returns a failed response if it fails after the first output", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(frames, { cutAfterFrames: 3 });
    const events = await gateway.mine.stream({ model: "native", input: "hello" });
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.failed", response: { status: "failed", model: "native" } });
    expect(last?.response?.error?.code).toBeTruthy();
    expect(gateway.records[0]).toMatchObject({ status: "failure" });
    const kept = await gateway.mine.ask("GET", `/v1/responses/${last?.response?.id}`);
    expect(kept.status).toBe(404);
  });
});

describe("a chat-only model", () => {
  test("returns a response object with all fields that clients expect", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer({ content: "Grüße, 世界", inputTokens: 9, outputTokens: 4 }));
    const response = await gateway.mine.respond({
      model: "plain",
      instructions: "Be brief — 简短",
      input: [
        { role: "developer", content: "In German." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "hi" },
            { type: "input_image", image_url: "data:image/png;base64,AA", detail: "low" },
          ],
        },
      ],
      max_output_tokens: 50,
      text: { format: { type: "json_schema", name: "greeting", schema: { type: "object" }, strict: true } },
      tools: [weather],
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      truncation: "auto",
    });
    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe("/v1/chat/completions");
    expect(received.json()).toMatchObject({
      model: "plain-1",
      messages: [
        { role: "system", content: "Be brief — 简短\n\nIn German." },
        {
          role: "user",
          content: [
            { type: "text", text: "hi" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "low" } },
          ],
        },
      ],
      max_completion_tokens: 50,
      response_format: {
        type: "json_schema",
        json_schema: { name: "greeting", schema: { type: "object" }, strict: true },
      },
      tools: [{ type: "function", function: { name: "weather" } }],
      reasoning_effort: "low",
    });
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "plain",
      error: null,
      incomplete_details: null,
      instructions: "Be brief — 简短",
      max_output_tokens: 50,
      tools: [weather],
      output: [
        {
          id: expect.stringMatching(/^msg_/),
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Grüße, 世界", annotations: [] }],
        },
      ],
      usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13, input_tokens_details: { cached_tokens: 0 } },
    });
    expect(Math.abs(Number(response.created_at) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test("streams every event for reasoning, text, and tool calls in order", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams([
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "Hm, 世" }),
      chunk({ content: "Grü" }),
      chunk({ content: "ße" }),
      chunk({
        tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Köln"}' } }] }),
      chunk({
        tool_calls: [
          { index: 1, id: "call_2", type: "function", function: { name: "patch", arguments: '{"input":"+a"}' } },
        ],
      }),
      chunk({}, "tool_calls"),
      usageChunk,
      "data: [DONE]\n\n",
    ]);
    const events = await gateway.mine.stream({
      model: "plain",
      input: "hi",
      tools: [weather, { type: "custom", name: "patch" }],
    });
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "output_item.added",
      "custom_tool_call_input.delta",
      "custom_tool_call_input.done",
      "output_item.done",
      "completed",
    ]);
    expect(events.at(-1)?.response).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm, 世" }] },
        { type: "message", status: "completed", content: [{ type: "output_text", text: "Grüße" }] },
        {
          type: "function_call",
          call_id: "call_1",
          name: "weather",
          arguments: '{"city":"Köln"}',
          status: "completed",
        },
        { type: "custom_tool_call", call_id: "call_2", name: "patch", input: "+a" },
      ],
      usage: { input_tokens: 7, output_tokens: 4 },
    });
    expect((await upstreams.alpha.ended(0)).json()).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(gateway.records[0]?.usage).toMatchObject({ inputTokens: 7, outputTokens: 4, source: "reported" });
  });

  test("returns an incomplete response if it stops at its max output tokens", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams([chunk({ content: "a" }), chunk({}, "length"), usageChunk, "data: [DONE]\n\n"]);
    const events = await gateway.mine.stream({ model: "plain", input: "hi" });
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    });
  });
});

test("rejects unpriced and unsupported features before any upstream call", async ({ gateway, upstreams }) => {
  const refusals = [
    [{ background: true }, "background"],
    [{ conversation: "conv_1" }, "conversation"],
    [{ prompt: { id: "pmpt_1" } }, "prompt"],
    [{ tools: [{ type: "namespace", name: "n", tools: [null] }] }, "tools.0.type"],
    [{ service_tier: "flex" }, "service_tier"],
    [{ extra_body: { tools: [{ type: "web_search" }] } }, "extra_body.tools"],
    [{ extra_body: { store: true } }, "extra_body.store"],
    [{ input: [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }] }, "input.0"],
    [{ input: [{ type: "tool_search_output", tools: [{ type: "web_search" }] }] }, "input.0.tools.0.type"],
  ] as const;
  for (const [fields, param] of refusals) {
    const answer = await gateway.mine.create({ model: "native", input: "hi", ...fields });
    expect(answer.status, param).toBe(400);
    expect(((await answer.json()) as { error: object }).error).toMatchObject({ param });
  }
  expect(upstreams.alpha.requests).toHaveLength(0);
});

test("accepts null entries in allowed_tools", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const choice = { type: "allowed_tools", mode: "auto", tools: [null, { type: "function", name: "weather" }] };
  const answer = await gateway.mine.create({ model: "plain", input: "hi", tools: [weather], tool_choice: choice });
  expect(answer.status).toBe(200);
});
