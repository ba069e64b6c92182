import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCheck } from "../validation/compile-check.ts";
import { listProblems } from "../validation/list-problems.ts";
import { ChatRequest, ChatRequestForModel } from "./chat-request.ts";

const isChatRequest = compileCheck(ChatRequest);
const isChatRequestForModel = compileCheck(ChatRequestForModel);
const hello = { role: "user", content: "hello" };
const problemsOf = (body: unknown) =>
  listProblems(ChatRequest, body, ["body"]).map(({ loc, type }) => `${loc.join(".")} ${type}`);

describe("chat request schema accepts", () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } };
  const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  test.for<[string, Record<string, unknown>]>([
    ["the least a request can be", {}],
    [
      "a field set to null, as if it were absent",
      { temperature: null, tools: null, stop: null, stream: null, user: null },
    ],
    ["fields it does not know", { frobnicate: { deep: [1] } }],
    [
      "every role",
      {
        messages: [
          { role: "system", content: "be brief" },
          { role: "developer", content: [{ type: "text", text: "be brief" }] },
          { role: "user", name: "ann", content: [{ type: "text", text: "see" }, image] },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", content: "4" },
          { role: "function", name: "f", content: null },
          { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
        ],
      },
    ],
    [
      "an image given as a plain string",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: "https://example.com" }] }] },
    ],
    ["unknown keys in messages and parts", { messages: [{ ...hello, cache_control: { type: "ephemeral" } }] }],
    [
      "tools of both kinds",
      {
        tools: [
          { type: "function", function: { name: "f" } },
          { type: "custom", custom: { name: "g" } },
        ],
      },
    ],
    ["every form of tool choice", { tool_choice: { type: "function", function: { name: "f" } } }],
    ["a schema for the answer", { response_format: { type: "json_schema", json_schema: { name: "s", schema: {} } } }],
    ["fallbacks as names and as objects", { fallbacks: ["a", { model: "b", temperature: 0 }] }],
    [
      "the gateway's own fields",
      { metadata: { tags: ["a"] }, timeout: 0.5, num_retries: 0, extra_headers: { a: "b" } },
    ],
    ["bounds themselves", { temperature: 2, top_p: 0, n: 128, top_logprobs: 20, max_tokens: 1, presence_penalty: -2 }],
  ])("%s", ([, fields]) => {
    const body = { model: "m", messages: [hello], ...fields };
    expect(problemsOf(body)).toEqual([]);
    expect(isChatRequest(body)).toBe(true);
  });
});

describe("chat request schema rejects", () => {
  test.for<[string, Record<string, unknown>, string[]]>([
    ["no model", { model: undefined }, ["body.model missing"]],
    ["an empty model", { model: "" }, ["body.model too_short"]],
    ["a list of models", { model: ["a", "b"] }, ["body.model string_type"]],
    ["no messages", { messages: undefined }, ["body.messages missing"]],
    ["an empty conversation", { messages: [] }, ["body.messages too_short"]],
    ["a message without a role", { messages: [{ content: "x" }] }, ["body.messages.0.role missing"]],
    [
      "an unknown role",
      { messages: [hello, { role: "robot", content: "x" }] },
      ["body.messages.1.role union_tag_invalid"],
    ],
    ["a user who says nothing", { messages: [{ role: "user" }] }, ["body.messages.0.content missing"]],
    [
      "an unknown part",
      { messages: [{ role: "user", content: [{ type: "smell" }] }] },
      ["body.messages.0.content.0.type union_tag_invalid"],
    ],
    [
      "a tool message without its call",
      { messages: [{ role: "tool", content: "x" }] },
      ["body.messages.0.tool_call_id missing"],
    ],
    ["a temperature out of range", { temperature: 2.1 }, ["body.temperature less_than_equal"]],
    ["a boolean as text", { stream: "true" }, ["body.stream bool_parsing"]],
    ["five stop strings", { stop: ["a", "b", "c", "d", "e"] }, ["body.stop too_long"]],
    [
      "a function with a space in its name",
      { tools: [{ type: "function", function: { name: "a b" } }] },
      ["body.tools.0.function.name string_pattern_mismatch"],
    ],
    ["a bias out of range", { logit_bias: { "50256": -101 } }, ["body.logit_bias.50256 greater_than_equal"]],
    ["eleven retries", { num_retries: 11 }, ["body.num_retries less_than_equal"]],
    ["an unknown effort", { reasoning_effort: "heroic" }, ["body.reasoning_effort literal_error"]],
    ["a credential provider that is a number", { custom_llm_provider: 1 }, ["body.custom_llm_provider string_type"]],
    [
      "several things at once",
      { n: 0, top_p: "x", user: 1 },
      ["body.n greater_than_equal", "body.top_p float_parsing", "body.user string_type"],
    ],
  ])("%s", ([, fields, problems]) => {
    const body = { model: "m", messages: [hello], ...fields };
    expect(problemsOf(body)).toEqual(problems);
    expect(isChatRequest(body)).toBe(false);
  });

  test("a missing model, unless the path names one", () => {
    expect(isChatRequestForModel({ messages: [hello] })).toBe(true);
    expect(isChatRequestForModel({ model: null, messages: [hello] })).toBe(true);
    expect(isChatRequestForModel({ model: 1, messages: [hello] })).toBe(false);
  });
});

describe("isChatRequest and the problem list agree", () => {
  test("on requests with any field set to any value", () => {
    const names = [...Object.keys(ChatRequest.properties), "frobnicate"];
    const body = fc
      .tuple(fc.dictionary(fc.constantFrom(...names), nearValue, { maxKeys: 5, noNullPrototype: true }), fc.boolean())
      .map(([fields, isComplete]) => (isComplete ? { model: "m", messages: [hello], ...fields } : fields));
    fc.assert(fc.property(body, agree), { numRuns: 1_000 });
  });

  test("on conversations of nearly valid messages", () => {
    const message = fc.record(
      {
        role: fc.constantFrom("system", "developer", "user", "assistant", "tool", "function", "robot", 1),
        content: fc.oneof(fc.string(), fc.constant(null), fc.array(part, { maxLength: 3 }), nearValue),
        name: fc.option(fc.string()),
        tool_call_id: fc.string(),
        tool_calls: fc.oneof(fc.constant(null), fc.array(toolCall, { maxLength: 2 }), nearValue),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    const conversation = fc.array(message, { maxLength: 3 }).map((messages) => ({ model: "m", messages }));
    fc.assert(fc.property(conversation, agree), { numRuns: 1_000 });
  });
});

const nearValue: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(null, true, "auto", "none", 0, 1, 2, -1, 0.5, 129, Number.POSITIVE_INFINITY, "", [], {}),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 300, unit: "grapheme" }) },
  { weight: 1, arbitrary: fc.constantFrom("😀".repeat(200), "x".repeat(513), Array(65).fill("a")) },
  { weight: 2, arbitrary: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 5 }) },
  {
    weight: 3,
    arbitrary: fc.dictionary(fc.constantFrom("type", "function", "name", "json_schema", "model", "a"), fc.jsonValue(), {
      noNullPrototype: true,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom("text", "function", "custom", "json_schema", "json_object", "other"),
      function: fc.record({ name: fc.constantFrom("f", "a b", "") }),
    }),
  },
);
const part = fc.record(
  {
    type: fc.constantFrom("text", "image_url", "input_audio", "file", "video_url", "refusal", "smell"),
    text: fc.oneof(fc.string(), fc.integer()),
    image_url: fc.oneof(fc.string(), fc.record({ url: fc.string(), detail: fc.constantFrom("low", "wrong", null) })),
    input_audio: fc.record({ data: fc.string(), format: fc.constantFrom("wav", "ogg") }),
    file: nearValue,
    video_url: nearValue,
    refusal: nearValue,
  },
  { requiredKeys: ["type"], noNullPrototype: true },
);
const toolCall = fc.record(
  {
    id: fc.string(),
    type: fc.constantFrom("function", "custom", "other"),
    function: fc.record({ name: fc.string(), arguments: fc.oneof(fc.string(), fc.constant({})) }),
    custom: fc.record({ name: fc.string(), input: fc.string() }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

function agree(body: unknown): void {
  const problems = listProblems(ChatRequest, body, ["body"]);
  expect(problems.length === 0, JSON.stringify(problems[0])).toBe(isChatRequest(body));
}
