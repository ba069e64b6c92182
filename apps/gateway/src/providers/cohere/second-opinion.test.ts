import { createCohere } from "@ai-sdk/cohere";
import { expect, test } from "vitest";
import { adapted } from "../ai-sdk/adapted-answers.fixture.ts";
import type { ChatBody } from "../library-options.fixture.ts";
import { askGateway, askLibrary, listDifferences, type Recorded, SOME_KEY } from "../second-opinion.fixture.ts";
import { cohere } from "./cohere.ts";

interface Differences {
  readonly request: readonly string[];
  readonly answer: readonly string[];
}

const upstreamModel = "command-a-03-2025";
const scripted = adapted["@ai-sdk/cohere"];
const whole: Recorded = { json: scripted?.whole };

/** Lists the differences between the gateway's and the library's handling of one call. */
async function compare(body: ChatBody, answer: Recorded = whole): Promise<Differences> {
  const ours = askGateway(cohere, { upstreamModel }, body, answer);
  const theirs = await askLibrary((fetch) => createCohere({ apiKey: SOME_KEY, fetch })(upstreamModel), body, answer);
  expect(ours.headers.authorization).toBe(theirs.headers.authorization);
  return {
    request: listDifferences({ url: ours.url, body: ours.body }, { url: theirs.url, body: theirs.body }),
    answer: listDifferences(ours.answer, theirs.answer),
  };
}

const hello: ChatBody = { messages: [{ role: "user", content: "hello" }] };
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [
  { type: "function", function: { name: "weather", description: "Returns the weather.", parameters: schema } },
  { type: "function", function: { name: "clock", description: "Returns the time.", parameters: schema } },
];
/** The library omits default values. */
const saysStream = "body.stream: false | absent";

test("the gateway and the AI SDK agree on text, settings, and response_format for Cohere", async () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Grüße" },
    { role: "assistant", content: "Hm." },
    { role: "user", content: "And?" },
  ];
  const settings = {
    temperature: 0.5,
    top_p: 0.5,
    top_k: 3,
    max_tokens: 7,
    stop: ["a"],
    seed: 4,
    frequency_penalty: 1,
  };
  expect(await compare({ messages, ...settings })).toEqual({ request: [saysStream], answer: [] });
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  expect(await compare({ ...hello, response_format })).toEqual({ request: [saysStream], answer: [] });
});

test("the gateway and the AI SDK agree on functions and tool_choice for Cohere", async () => {
  for (const tool_choice of ["none", "required", { type: "function", function: { name: "clock" } }]) {
    expect(await compare({ ...hello, tools, tool_choice })).toEqual({ request: [saysStream], answer: [] });
  }
});

test("the gateway and the AI SDK agree on streamed text and tool calls for Cohere", async () => {
  const events = (frames: readonly string[] = []): Recorded => ({ events: frames.join("") });
  expect(await compare({ ...hello, stream: true }, events(scripted?.stream))).toEqual({ request: [], answer: [] });
  const called = await compare({ ...hello, tools, stream: true }, events(scripted?.calling));
  expect(called).toEqual({ request: [], answer: [] });
});
