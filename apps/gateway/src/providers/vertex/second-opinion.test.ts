import { createGoogleVertex } from "@ai-sdk/google-vertex";
import { createGoogleVertexAnthropic } from "@ai-sdk/google-vertex/anthropic";
import { describe, expect, test } from "vitest";
import { textEvents, wholeText, wholeTools } from "../anthropic/recorded.fixture.ts";
import { recorded, streams } from "../gemini/gemini-answers.fixture.ts";
import type { ChatBody } from "../library-options.fixture.ts";
import { askGateway, askLibrary, listDifferences, type Recorded } from "../second-opinion.fixture.ts";
import { vertex } from "./vertex.ts";

const place = { project: "acme-prod", location: "europe-west4" };
const API_BASE = "https://europe-west4-aiplatform.googleapis.com";
const settings = {
  apiKey: null,
  apiBase: API_BASE,
  options: { vertex_project: place.project, vertex_location: place.location },
};
/** Makes the library use a fixed token. */
const googleAuthOptions = { authClient: { getAccessToken: async () => ({ token: "token" }) } as never };

async function compare(upstreamModel: string, body: ChatBody, answer: Recorded) {
  const provider = vertex.forModel?.(upstreamModel) ?? vertex;
  const ours = askGateway(provider, { ...settings, upstreamModel }, body, answer);
  const theirs = await askLibrary(
    (fetch) =>
      upstreamModel.startsWith("claude")
        ? createGoogleVertexAnthropic({ ...place, fetch, googleAuthOptions })(upstreamModel)
        : createGoogleVertex({ ...place, fetch, googleAuthOptions })(upstreamModel),
    body,
    answer,
  );
  return {
    url: [ours.url, theirs.url],
    body: listDifferences(ours.body, theirs.body),
    answer: listDifferences(ours.answer, theirs.answer),
  };
}

const hello: ChatBody = { max_tokens: 9_000, messages: [{ role: "user", content: "hello" }] };
const tools = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Returns the weather.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];
const loop: ChatBody = {
  ...hello,
  tools,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Köln"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: '{"sky":"rain"}' },
  ],
};

describe("for Google models on Vertex AI, the gateway and the AI SDK", () => {
  const model = "gemini-2.5-flash";
  test("use the same URL, with and without streaming", async () => {
    for (const [body, answer] of [
      [hello, { json: recorded.text }],
      [{ ...hello, stream: true }, { events: streams.text }],
    ] as const) {
      const { url, body: differences, answer: read } = await compare(model, body, answer);
      expect(url[0]).toBe(url[1]);
      expect([differences, read]).toEqual([[], []]);
    }
  });

  test("send the same settings and tool calls, except for how a tool result is wrapped", async () => {
    expect(
      (await compare(model, { ...hello, temperature: 0.5, top_p: 0.5, stop: ["a"] }, { json: recorded.text })).body,
    ).toEqual([]);
    expect((await compare(model, loop, { json: recorded.calls })).body).toEqual([
      // If a tool result is a JSON object, the gateway sends it as an object, but the library wraps its text in another
      // object.
      'contents[2].parts[0].functionResponse.response.content: absent | "{\\"sky\\":\\"rain\\"}"',
      'contents[2].parts[0].functionResponse.response.name: absent | "weather"',
      'contents[2].parts[0].functionResponse.response.sky: "rain" | absent',
    ]);
  });
});

describe("for Anthropic models on Vertex AI, the gateway and the AI SDK", () => {
  const model = "claude-sonnet-4-5@20250929";
  test("use the same URL, with and without streaming", async () => {
    for (const [body, answer] of [
      [hello, { json: wholeText }],
      [{ ...hello, stream: true }, { events: textEvents.join("") }],
    ] as const) {
      const { url, body: differences, answer: read } = await compare(model, body, answer);
      expect(decodeURIComponent(String(url[0]))).toBe(url[1]);
      expect([differences, read]).toEqual([[], []]);
    }
  });

  test("send and read the same tool calls", async () => {
    const { body, answer } = await compare(model, loop, { json: wholeTools });
    expect([body, answer]).toEqual([[], []]);
  });
});
