import { describe, expect, test } from "vitest";
import { callOf, latin1, utf8 } from "./messages-call.fixture.ts";
import { readMessagesAnswer } from "./read-answer.ts";
import { wholeCached, wholeRefusal, wholeText, wholeThinking, wholeTools } from "./recorded.fixture.ts";

function read(answer: unknown, fields: object = {}) {
  const call = callOf(fields, { shownName: "naïve 世界" });
  const { text, usage } = readMessagesAnswer(call, latin1(JSON.stringify(answer)));
  return { json: JSON.parse(utf8(text)), usage };
}

describe("Anthropic response", () => {
  test("becomes a chat completion with the requested model name", () => {
    const before = Math.floor(Date.now() / 1_000);
    const { json, usage } = read(wholeText);
    expect(json).toEqual({
      id: wholeText.id,
      object: "chat.completion",
      created: expect.any(Number),
      model: "naïve 世界",
      service_tier: "default",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Grüße, 世界 😀", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 6,
        total_tokens: 18,
        prompt_tokens_details: { cached_tokens: 0, cache_creation_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(json.created).toBeGreaterThanOrEqual(before);
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 6, source: "reported" });
  });

  test("contains tool calls with their arguments as JSON text", () => {
    const [choice] = read(wholeTools).json.choices;
    expect(choice).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "I look it up.",
        tool_calls: [
          { id: "toolu_01A", type: "function", function: { name: "weather", arguments: '{"city":"Köln","days":2}' } },
          { id: "toolu_01B", type: "function", function: { name: "time", arguments: "{}" } },
        ],
      },
    });
    const silent = { ...wholeTools, content: wholeTools.content.slice(1) };
    expect(read(silent).json.choices[0].message.content).toBeNull();
  });

  test("counts searches, and the session in which the provider ran code", () => {
    const ran = { type: "server_tool_use", id: "s", name: "bash_code_execution", input: {} };
    const counters = { ...wholeText.usage, server_tool_use: { web_search_requests: 2 } };
    const { usage } = read({ ...wholeText, content: [ran, ran, ...wholeText.content], usage: counters });
    expect(usage).toMatchObject({ webSearches: 2, codeSessions: 1 });
    expect(read(wholeText).usage).toMatchObject({ webSearches: 0, codeSessions: 0 });
    const tools = [{ type: "web_search_20260209", name: "web_search" }];
    expect(read({ ...wholeText, content: [ran] }, { tools }).usage).toMatchObject({ codeSessions: 0 });
  });

  test("contains function_call if the request used legacy functions", () => {
    const [choice] = read(wholeTools, { functions: [{ name: "weather" }] }).json.choices;
    expect(choice.finish_reason).toBe("function_call");
    expect(choice.message.function_call).toEqual({ name: "weather", arguments: '{"city":"Köln","days":2}' });
    expect(choice.message).not.toHaveProperty("tool_calls");
    const both = read(wholeTools, { functions: [{ name: "weather" }], tools: [] });
    expect(both.json.choices[0].finish_reason).toBe("tool_calls");
  });

  test("has the input of the gateway's JSON tool as its content", () => {
    const input = { a: "ü" };
    const content = [{ type: "tool_use", id: "toolu_1", name: "answer_in_json_for_gateway", input }];
    const [choice] = read({ ...wholeTools, content }).json.choices;
    expect(choice).toMatchObject({ finish_reason: "stop", message: { content: '{"a":"ü"}' } });
    expect(choice.message).not.toHaveProperty("tool_calls");
  });

  test("contains reasoning as text, and as thinking blocks that the client can send back", () => {
    const { json, usage } = read(wholeThinking);
    expect(json.choices[0].message).toMatchObject({
      content: "4",
      reasoning_content: "Two and two.",
      thinking_blocks: wholeThinking.content.slice(0, 2),
    });
    expect(json.usage.completion_tokens_details).toEqual({ reasoning_tokens: 14 });
    expect(usage).toMatchObject({ outputTokens: 20, reasoningTokens: 14 });
    const wrong = { ...wholeThinking.usage, output_tokens_details: { thinking_tokens: 21 } };
    expect(read({ ...wholeThinking, usage: wrong }).usage).toMatchObject({ outputTokens: 20, reasoningTokens: 0 });
  });

  test("counts cached tokens once, as part of the prompt", () => {
    const { json, usage } = read(wholeCached);
    expect(json.usage).toMatchObject({
      prompt_tokens: 5_203,
      total_tokens: 5_209,
      prompt_tokens_details: { cached_tokens: 5_000, cache_creation_tokens: 200 },
    });
    expect(usage).toMatchObject({ inputTokens: 3, cacheReadTokens: 5_000, cacheWriteTokens: 200, outputTokens: 6 });
  });

  test("contains the model's refusal and its reason", () => {
    const [choice] = read(wholeRefusal).json.choices;
    expect(choice).toMatchObject({
      finish_reason: "content_filter",
      message: { content: "", refusal: "This cannot be answered." },
    });
  });

  test.for([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["something_new", "stop"],
    [null, "stop"],
  ])("maps stop reason %s to finish reason %s", ([stop_reason, finish]) => {
    expect(read({ ...wholeText, stop_reason }).json.choices[0].finish_reason).toBe(finish);
  });

  test("has a generated ID if the provider sends none", () => {
    expect(read({ ...wholeText, id: undefined }).json.id).toMatch(/^chatcmpl-[0-9a-f]{24}$/);
  });

  test.for([
    ["none", undefined],
    ["negative", { input_tokens: -1, output_tokens: 1 }],
    ["not numeric", { input_tokens: "12", output_tokens: 1 }],
    ["implausibly high", { input_tokens: 1e12, output_tokens: 1 }],
    ["negative for cached tokens", { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: -5 }],
  ])("has null usage if the reported usage is %s, so that the gateway counts the tokens", ([, usage]) => {
    const read_ = read({ ...wholeText, usage });
    expect(read_.usage).toBeNull();
    expect(read_.json).not.toHaveProperty("usage");
  });

  test("includes the tokens used for compaction", () => {
    const iterations = [
      { type: "compaction", input_tokens: 1_000, output_tokens: 50 },
      { type: "message", input_tokens: 12, output_tokens: 6 },
    ];
    const { usage } = read({ ...wholeText, usage: { ...wholeText.usage, iterations } });
    expect(usage).toMatchObject({ inputTokens: 1_012, outputTokens: 56 });
  });

  test.for(["", "{", "[]", "null", '"text"', "{}", '{"content":"text"}', '{"content":[null]}'])(
    "fails with bad_gateway if malformed: %s",
    (text) => {
      expect(() => readMessagesAnswer(callOf(), text)).toThrow(expect.objectContaining({ code: "bad_gateway" }));
    },
  );
});
