import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { amazonEvent, converseAnswer, converseFrames } from "@tollgate/testkit/amazon-event-stream.ts";
import { describe, expect, test } from "vitest";
import type { ChatBody } from "../library-options.fixture.ts";
import { askGateway, askLibrary, listDifferences, type Recorded, SOME_KEY } from "../second-opinion.fixture.ts";
import { bedrock } from "./bedrock.ts";
import { EventStreamDecoder } from "./event-stream-decoder.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA = "us.amazon.nova-2-lite-v1:0";
const API_BASE = "https://bedrock-runtime.us-west-2.amazonaws.com";

const user = (content: unknown) => ({ role: "user", content });
const tool = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const hello: ChatBody = { max_tokens: 9_000, messages: [user("hello")] };
const text: Recorded = { json: converseAnswer([{ text: "Forty-two." }]) };

function streamed(frames: readonly Buffer[]): Recorded {
  const bytes = Buffer.concat(frames);
  return { bytes, events: Buffer.from(new EventStreamDecoder().push(bytes), "latin1").toString("utf8") };
}

async function compare(body: ChatBody, recorded: Recorded = text, model = CLAUDE) {
  const ours = askGateway(bedrock, { upstreamModel: model, apiBase: API_BASE }, body, recorded);
  const theirs = await askLibrary(
    (fetch) => createAmazonBedrock({ apiKey: SOME_KEY, region: "us-west-2", fetch }).languageModel(model),
    body,
    recorded,
  );
  // The library always sends system instructions, even if they are empty.
  const { system, ...rest } = theirs.body as { readonly system: readonly unknown[] };
  return {
    ours,
    theirs,
    body: listDifferences(ours.body, system.length === 0 ? rest : theirs.body),
    answer: listDifferences(ours.answer, theirs.answer),
  };
}

/**
 * The library asks Bedrock to report the matched stop sequence. The gateway doesn't, because chat completions have no
 * field for it.
 */
const ALWAYS = 'additionalModelResponseFieldPaths: absent | ["/delta/stop_sequence"]';

describe("the gateway and the AI SDK send the same Bedrock request", () => {
  test("to the same URL with the same API key", async () => {
    const { ours, theirs } = await compare(hello);
    expect(ours.url).toBe(theirs.url);
    expect(ours.headers.authorization).toBe(theirs.headers.authorization);
  });

  test.for<[string, ChatBody]>([
    ["a plain message", hello],
    ["parameters", { ...hello, temperature: 0.3, top_p: 0.5, stop: ["a", "b"] }],
    [
      "consecutive messages of one role",
      { ...hello, messages: [user("a"), user("b"), { role: "assistant", content: "c" }, user("d")] },
    ],
    ["instructions", { ...hello, messages: [{ role: "system", content: "Be brief." }, user("hello")] }],
    [
      "images and documents",
      {
        ...hello,
        messages: [
          user([
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "my paper.pdf" } },
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
    ["forbidden tool use", { ...hello, tools: [tool], tool_choice: "none" }],
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
              { id: "tooluse_1", type: "function", function: { name: "weather", arguments: '{"city":"Köln"}' } },
              { id: "tooluse_2", type: "function", function: { name: "weather", arguments: '{"city":"Bonn"}' } },
            ],
          },
          { role: "tool", tool_call_id: "tooluse_1", content: "rain" },
          { role: "tool", tool_call_id: "tooluse_2", content: "sun" },
        ],
      },
    ],
  ])("for %s", async ([, body]) => {
    expect((await compare(body)).body).toEqual([ALWAYS]);
  });

  test("for reasoning with models from other vendors", async () => {
    expect((await compare({ ...hello, reasoning_effort: "low" }, text, NOVA)).body).toEqual([]);
    expect((await compare({ ...hello, reasoning_effort: "low" }, text, "openai.gpt-oss-120b-1:0")).body).toEqual([]);
  });
});

describe("the gateway and the AI SDK send a different Bedrock request for a known reason", () => {
  test.for<[string, string, ChatBody, readonly string[]]>([
    [
      "a thinking budget never adds to the maximum cost",
      CLAUDE,
      { ...hello, reasoning_effort: "high" },
      [
        "additionalModelRequestFields.thinking.budget_tokens: 4096 | 38400",
        ALWAYS,
        "inferenceConfig.maxTokens: 9000 | 47400",
      ],
    ],
    [
      "parameters without a Converse field are sent as model-specific fields",
      CLAUDE,
      { ...hello, top_k: 4 },
      ['additionalModelRequestFields: {"top_k":4} | absent', ALWAYS, "inferenceConfig.topK: absent | 4"],
    ],
    [
      "newer models are asked for a thinking summary that can be displayed",
      "us.anthropic.claude-opus-4-6-v1",
      { ...hello, reasoning_effort: "medium" },
      ['additionalModelRequestFields.thinking.display: "summarized" | absent', ALWAYS],
    ],
  ])("%s", async ([, model, body, differences]) => {
    expect((await compare(body, text, model)).body).toEqual(differences);
  });
});

describe("the gateway and the AI SDK read the same Bedrock response", () => {
  const call = { toolUse: { toolUseId: "tooluse_1", name: "weather", input: { city: "Köln" } } };
  const thought = { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } };
  const cached = {
    inputTokens: 5,
    outputTokens: 7,
    totalTokens: 42,
    cacheReadInputTokens: 20,
    cacheWriteInputTokens: 10,
  };
  const delta = (index: number, delta: object) => amazonEvent("contentBlockDelta", { contentBlockIndex: index, delta });
  test.for<[string, Recorded]>([
    ["a text", text],
    ["tool calls", { json: converseAnswer([{ text: "I look." }, call], "tool_use") }],
    ["thinking", { json: converseAnswer([thought, { text: "Yes." }]) }],
    ["cached prompts", { json: converseAnswer([{ text: "Yes." }], "max_tokens", cached) }],
    ["a refusal", { json: converseAnswer([{ text: "No." }], "guardrail_intervened") }],
    ["a streamed text", streamed(converseFrames(["Grüße ", "😀"], cached))],
    [
      "streamed thinking and tool calls",
      streamed([
        amazonEvent("messageStart", { role: "assistant" }),
        delta(0, { reasoningContent: { text: "H" } }),
        delta(0, { reasoningContent: { text: "m." } }),
        delta(0, { reasoningContent: { signature: "sig" } }),
        amazonEvent("contentBlockStop", { contentBlockIndex: 0 }),
        delta(1, { text: "I look." }),
        amazonEvent("contentBlockStop", { contentBlockIndex: 1 }),
        amazonEvent("contentBlockStart", { contentBlockIndex: 2, start: call }),
        delta(2, { toolUse: { input: '{"city":"K' } }),
        delta(2, { toolUse: { input: 'öln"}' } }),
        amazonEvent("contentBlockStop", { contentBlockIndex: 2 }),
        amazonEvent("messageStop", { stopReason: "tool_use" }),
        amazonEvent("metadata", { usage: cached, metrics: { latencyMs: 1 } }),
      ]),
    ],
  ])("with %s", async ([, recorded]) => {
    const stream = "events" in recorded ? { stream: true } : {};
    expect((await compare({ ...hello, ...stream, tools: [tool] }, recorded)).answer).toEqual([]);
  });
});
