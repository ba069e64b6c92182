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
    [
      "tools that providers run, in any form",
      {
        tools: [
          { type: "web_search_preview" },
          { googleSearch: {} },
          { type: "computer_20250124", display_width_px: 9 },
        ],
      },
    ],
    ["function names that only some upstreams accept", { tools: [{ type: "function", function: { name: "a.b c" } }] }],
    ["a tool choice as an object", { tool_choice: { type: "function", function: { name: "f" } } }],
    ["a tool choice as any string", { tool_choice: "any", function_call: "any" }],
    ["a response format of any type", { response_format: { type: "grammar", grammar: "root ::= [0-9]" } }],
    ["an empty conversation", { messages: [] }],
    ["more than 64 content parts", { messages: [{ role: "user", content: Array(70).fill(image) }] }],
    [
      "audio in any format",
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "", format: "flac" } }] }] },
    ],
    ["any number of stop strings", { stop: ["a", "b", "c", "d", "e"] }],
    ["more than 4 fallbacks", { fallbacks: ["a", "b", "c", "d", "e", "f"] }],
    ["any number of retries", { num_retries: 11 }],
    [
      "more than 64 metadata entries",
      { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, i])) },
    ],
    ["sampling parameters of any value", { temperature: 2.1, top_p: 2, top_logprobs: 21, logit_bias: { "1": -101 } }],
    ["a reasoning effort of any name", { reasoning_effort: "heroic" }],
    ["a schema for the answer", { response_format: { type: "json_schema", json_schema: { name: "s", schema: {} } } }],
    ["fallbacks as names and as objects", { fallbacks: ["a", { model: "b", temperature: 0 }] }],
    [
      "the gateway's own fields",
      { metadata: { tags: ["a"] }, timeout: 0.5, num_retries: 0, extra_headers: { a: "b" } },
    ],
    ["bounds themselves", { n: 128, max_tokens: 1 }],
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
    ["a temperature that is not a number", { temperature: "2" }, ["body.temperature float_parsing"]],
    ["a boolean as text", { stream: "true" }, ["body.stream bool_parsing"]],
    ["stop strings that are not text", { stop: [1] }, ["body.stop.0 string_type"]],
    ["tools that are not objects", { tools: ["web_search"] }, ["body.tools.0 dict_type"]],
    ["a tool choice that is a number", { tool_choice: 1 }, ["body.tool_choice string_type"]],
    ["a response format that is text", { response_format: "json" }, ["body.response_format dict_type"]],
    ["a bias that is not a number", { logit_bias: { "50256": "x" } }, ["body.logit_bias.50256 float_parsing"]],
    ["a retry count that is not an integer", { num_retries: 1.5 }, ["body.num_retries int_parsing"]],
    ["more fallbacks than can be looked up", { fallbacks: Array(65).fill("a") }, ["body.fallbacks too_long"]],
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
