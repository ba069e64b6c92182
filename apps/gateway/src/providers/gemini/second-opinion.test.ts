import { createGoogle } from "@ai-sdk/google";
import { describe, expect, test } from "vitest";
import type { ChatBody } from "../library-options.fixture.ts";
import { askGateway, askLibrary, listDifferences, type Recorded, SOME_KEY } from "../second-opinion.fixture.ts";
import { gemini } from "./gemini.ts";
import { recorded, streams } from "./gemini-answers.fixture.ts";

interface Differences {
  readonly request: readonly string[];
  readonly answer: readonly string[];
}

/** Lists the differences between the gateway's and the library's handling of one call. */
async function compare(body: ChatBody, answer: Recorded, upstreamModel = "gemini-2.5-flash"): Promise<Differences> {
  const ours = askGateway(gemini, { upstreamModel }, body, answer);
  const theirs = await askLibrary((fetch) => createGoogle({ apiKey: SOME_KEY, fetch })(upstreamModel), body, answer);
  expect(ours.headers["x-goog-api-key"]).toBe(theirs.headers["x-goog-api-key"]);
  const whole = theirs.body as { readonly generationConfig?: object };
  // The library always sends settings, even if they are empty.
  const { generationConfig, ...rest } = whole;
  const body_ = Object.keys(generationConfig ?? {}).length === 0 ? rest : whole;
  return {
    request: listDifferences({ url: ours.url, body: ours.body }, { url: theirs.url, body: body_ }),
    answer: listDifferences(ours.answer, theirs.answer),
  };
}

const hello: ChatBody = { messages: [{ role: "user", content: "hello" }] };
const text: Recorded = { json: recorded.text };
const schema = { type: "object", properties: { city: { type: "string", const: "Bern" } }, required: ["city"] };
const tools = [
  { type: "function", function: { name: "weather", description: "Returns the weather.", parameters: schema } },
];
const none: Differences = { request: [], answer: [] };

describe("for Gemini, the gateway and the AI SDK agree", () => {
  test("on text, system messages, images, audio, and documents", async () => {
    const content = [
      { type: "text", text: "Grüße" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0K" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
    ];
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content },
      { role: "assistant", content: "Hm." },
      { role: "user", content: "And?" },
    ];
    expect(await compare({ messages }, text)).toEqual(none);
  });

  test("on settings and response_format", async () => {
    const settings = { temperature: 0.5, top_p: 0.5, top_k: 3, max_tokens: 7, stop: ["a"], seed: 4 };
    expect(await compare({ ...hello, ...settings }, text)).toEqual(none);
    const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
    expect(await compare({ ...hello, response_format }, text)).toEqual(none);
  });

  test("on functions and tool_choice", async () => {
    expect(await compare({ ...hello, tools, tool_choice: "none" }, text)).toEqual(none);
    expect(await compare({ ...hello, tools, tool_choice: "required" }, text)).toEqual(none);
    const named = { type: "function", function: { name: "weather" } };
    expect(await compare({ ...hello, tools, tool_choice: named }, text)).toEqual(none);
    const strict = tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }));
    expect(await compare({ ...hello, tools: strict }, text)).toEqual(none);
  });

  test("on reasoning, usage, and cached tokens, with and without streaming", async () => {
    expect(await compare(hello, { json: recorded.thoughts })).toEqual(none);
    expect(await compare({ ...hello, stream: true }, { events: streams.thoughts })).toEqual(none);
    expect(await compare({ ...hello, stream: true }, { events: streams.text })).toEqual(none);
  });
});

/** All intentional differences. `docs/providers/gemini.md` lists the reason for each. */
describe("for Gemini, the gateway and the AI SDK differ only", () => {
  test("in tool call IDs, because the AI SDK generates random IDs and the gateway derives them from the response ID", async () => {
    expect((await compare(hello, { json: recorded.calls })).answer).toEqual([
      expect.stringMatching(/^toolCalls\[0\]\.id: "call_callsAnswer_0" \| /),
      expect.stringMatching(/^toolCalls\[1\]\.id: "call_callsAnswer_1" \| /),
    ]);
    expect((await compare({ ...hello, stream: true }, { events: streams.calls })).answer).toEqual([
      expect.stringMatching(/^toolCalls\[0\]\.id: "call_streamedAnswer_0" \| /),
    ]);
  });

  test("in how tool results are wrapped, and in which tool calls from other models get a placeholder signature", async () => {
    const call = (id: string) => ({
      id,
      type: "function",
      function: { name: "weather", arguments: '{"city":"Bern"}' },
    });
    const messages = [
      ...hello.messages,
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "cold" },
    ];
    const response = "contents[2].parts[0].functionResponse.response";
    const wrapped = [
      `body.${response}.content: absent | "cold"`,
      `body.${response}.name: absent | "weather"`,
      `body.${response}.result: "cold" | absent`,
    ];
    expect((await compare({ messages, tools }, text)).request).toEqual(wrapped);
    expect((await compare({ messages, tools }, text, "gemini-3-flash-preview")).request).toEqual([
      'body.contents[1].parts[1].thoughtSignature: absent | "skip_thought_signature_validator"',
      ...wrapped,
    ]);
  });

  test("in reasoning effort, because the gateway uses the budgets from Google's OpenAI-compatible API and includes thoughts", async () => {
    const place = "body.generationConfig.thinkingConfig";
    expect((await compare({ ...hello, reasoning_effort: "medium" }, text)).request).toEqual([
      `${place}.includeThoughts: true | absent`,
      `${place}.thinkingBudget: 8192 | 19661`,
    ]);
    const level = await compare({ ...hello, reasoning_effort: "low" }, text, "gemini-3-flash-preview");
    expect(level.request).toEqual([`${place}.includeThoughts: true | absent`]);
  });
});
