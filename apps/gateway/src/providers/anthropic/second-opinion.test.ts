import { createAnthropic } from "@ai-sdk/anthropic";
import { describe, expect, test } from "vitest";
import type { ChatBody } from "../library-options.fixture.ts";
import { askGateway, askLibrary, listDifferences, type Recorded, SOME_KEY } from "../second-opinion.fixture.ts";
import { anthropic } from "./anthropic.ts";
import { SONNET } from "./messages-call.fixture.ts";
import {
  refusalEvents,
  textEvents,
  thinkingEvents,
  toolEvents,
  wholeCached,
  wholeText,
  wholeThinking,
  wholeTools,
} from "./recorded.fixture.ts";

const user = (content: unknown) => ({ role: "user", content });
const tool = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather of a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};
const hello: ChatBody = { max_tokens: 9_000, messages: [user("hello")] };
const text: Recorded = { json: wholeText };

async function compare(body: ChatBody, recorded: Recorded = text, model = SONNET) {
  const ours = askGateway(anthropic, { upstreamModel: model }, body, recorded);
  const theirs = await askLibrary(
    (fetch) => createAnthropic({ apiKey: SOME_KEY, fetch }).languageModel(model as never),
    body,
    recorded,
  );
  return {
    ours,
    theirs,
    body: listDifferences(ours.body, theirs.body),
    answer: listDifferences(ours.answer, theirs.answer),
  };
}

describe("the gateway and the AI SDK send the same Anthropic request", () => {
  test("to the same URL with the same API key and version", async () => {
    const { ours, theirs } = await compare(hello);
    expect(ours.url).toBe(theirs.url);
    for (const name of ["x-api-key", "anthropic-version", "content-type"]) {
      expect([name, ours.headers[name]]).toEqual([name, theirs.headers[name]]);
    }
  });

  test.for<[string, ChatBody]>([
    ["a plain message", hello],
    ["parameters", { ...hello, temperature: 0.3, stop: ["a", "b"], top_k: 4 }],
    [
      "consecutive messages of one role",
      { ...hello, messages: [user("a"), user("b"), { role: "assistant", content: "c" }, user("d")] },
    ],
    ["instructions", { ...hello, messages: [{ role: "system", content: "Be brief." }, user("hello")] }],
    [
      "images",
      {
        ...hello,
        messages: [
          user([
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          ]),
        ],
      },
    ],
    ["tools", { ...hello, tools: [tool], tool_choice: "auto" }],
    ["a required tool call", { ...hello, tools: [tool], tool_choice: "required" }],
    [
      "a required call of one tool",
      { ...hello, tools: [tool], tool_choice: { type: "function", function: { name: "weather" } } },
    ],
    [
      "tool results",
      {
        ...hello,
        tools: [tool],
        messages: [
          user("weather?"),
          {
            role: "assistant",
            content: "I look.",
            tool_calls: [
              { id: "toolu_1", type: "function", function: { name: "weather", arguments: '{"city":"Köln"}' } },
              { id: "toolu_2", type: "function", function: { name: "weather", arguments: '{"city":"Bonn"}' } },
            ],
          },
          { role: "tool", tool_call_id: "toolu_1", content: "rain" },
          { role: "tool", tool_call_id: "toolu_2", content: "sun" },
        ],
      },
    ],
  ])("for %s", async ([, body]) => {
    expect((await compare(body)).body).toEqual([]);
  });

  test.for<[string, ChatBody]>([
    ["claude-opus-4-6", { ...hello, reasoning_effort: "medium" }],
    ["claude-opus-5", { ...hello, reasoning_effort: "xhigh" }],
    ["claude-opus-5", { ...hello, reasoning_effort: "none" }],
    ["claude-fable-5", { ...hello, reasoning_effort: "none" }],
  ])("for reasoning with %s", async ([model, body]) => {
    expect((await compare(body, text, model)).body).toEqual([]);
  });

  test("for responses with a schema", async () => {
    const response_format = { type: "json_schema", json_schema: { name: "s", schema: tool.function.parameters } };
    expect((await compare({ ...hello, response_format })).body).toEqual([]);
  });
});

describe("the gateway and the AI SDK send a different Anthropic request for a known reason", () => {
  test.for<[string, string, ChatBody, readonly string[]]>([
    [
      "the gateway's thinking budget is fixed and never adds to the maximum cost",
      SONNET,
      { ...hello, reasoning_effort: "high" },
      ["max_tokens: 9000 | 47400", "thinking.budget_tokens: 4096 | 38400"],
    ],
    [
      "without a limit, the library uses the model name and the gateway uses the model metadata",
      SONNET,
      { messages: [user("hello")] },
      ["max_tokens: 4096 | 64000"],
    ],
    [
      "constraints that are not enforced have different descriptions",
      SONNET,
      {
        ...hello,
        response_format: {
          type: "json_schema",
          json_schema: {
            name: "s",
            schema: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] },
          },
        },
      },
      ['output_config.format.schema.properties.n.description: "minimum: 1" | "minimum: 1."'],
    ],
    [
      "the library drops top_p for newer models, and the gateway drops it only if allowed",
      SONNET,
      { ...hello, temperature: 0.5, top_p: 0.9 },
      ["top_p: 0.9 | absent"],
    ],
    [
      "the library requests tool arguments before they are valid JSON",
      SONNET,
      { ...hello, tools: [tool], stream: true },
      ["tools[0].eager_input_streaming: absent | true"],
    ],
  ])("%s", async ([, model, body, differences]) => {
    const recorded: Recorded = body.stream === true ? { events: textEvents.join("") } : text;
    expect((await compare(body, recorded, model)).body).toEqual(differences);
  });
});

test("the AI SDK sends a beta header, which the gateway omits because the features are generally available", async () => {
  const { ours, theirs } = await compare({ ...hello, tools: [tool] });
  expect(theirs.headers["anthropic-beta"]).toBe("structured-outputs-2025-11-13");
  expect(ours.headers).not.toHaveProperty("anthropic-beta");
});

describe("the gateway and the AI SDK read the same Anthropic response", () => {
  test.for<[string, Recorded]>([
    ["a text", { json: wholeText }],
    ["tool calls", { json: wholeTools }],
    ["thinking", { json: wholeThinking }],
    ["cached prompts", { json: wholeCached }],
    ["a streamed text", { events: textEvents.join("") }],
    ["streamed tool calls", { events: toolEvents.join("") }],
    ["streamed thinking", { events: thinkingEvents.join("") }],
    ["a refusal", { events: refusalEvents.join("") }],
  ])("with %s", async ([, recorded]) => {
    const stream = "events" in recorded ? { stream: true } : {};
    expect((await compare({ ...hello, ...stream, tools: [tool] }, recorded)).answer).toEqual([]);
  });
});
