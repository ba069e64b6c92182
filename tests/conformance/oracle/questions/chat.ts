import type { Behavior } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "../answers/spoken-answer.ts";
import type { Question } from "../question.ts";
import { cityTool, pixel, user } from "./chat-parts.ts";

const hello = says({ pieces: ["Hello ", "there."] });
const weather = says({
  pieces: [],
  toolCalls: [
    { id: "call_scripted_1", name: "get_weather", input: { city: "Oslo" } },
    { id: "call_scripted_2", name: "get_weather", input: { city: "Bergen" } },
  ],
  finish: "tools",
});
const json = says({ pieces: ['{"city":', '"Oslo"}'] });
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

type ChatCase = readonly [scenario: string, request: object, answer: Behavior];

/** Questions about common chat features, asked for every upstream API. */
const common: readonly ChatCase[] = [
  ["text", { messages: user("Hello") }, hello],
  ["streamed", { messages: user("Hello"), stream: true }, hello],
  ["streamed with usage", { messages: user("Hello"), stream: true, stream_options: { include_usage: true } }, hello],
  [
    "system prompt and sampling",
    {
      messages: [{ role: "system", content: "Be brief." }, ...user("Hello")],
      max_tokens: 64,
      temperature: 0.5,
      stop: ["END"],
      user: "someone",
    },
    hello,
  ],
  ["developer message", { messages: [{ role: "developer", content: "Be brief." }, ...user("Hello")] }, hello],
  ["tools", { messages: user("Weather?"), tools: [cityTool], tool_choice: "auto" }, weather],
  ["tools, streamed", { messages: user("Weather?"), tools: [cityTool], stream: true }, weather],
  ["required tool call", { messages: user("Weather?"), tools: [cityTool], tool_choice: "required" }, weather],
  [
    "named tool without parallel calls",
    {
      messages: user("Weather?"),
      tools: [cityTool],
      tool_choice: { type: "function", function: { name: "get_weather" } },
      parallel_tool_calls: false,
    },
    weather,
  ],
  [
    "tool results",
    {
      tools: [cityTool],
      messages: [
        ...user("Weather?"),
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "Rain" },
      ],
    },
    hello,
  ],
  [
    "vision",
    {
      messages: user([
        { type: "text", text: "What is it?" },
        { type: "image_url", image_url: { url: pixel, detail: "low" } },
      ]),
    },
    hello,
  ],
  [
    "structured output",
    {
      messages: user("Where?"),
      response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema } },
    },
    json,
  ],
  ["JSON mode", { messages: user("Where, as JSON?"), response_format: { type: "json_object" } }, json],
  [
    "output limit reached",
    { messages: user("Hello"), max_tokens: 2 },
    says({ pieces: ["Hello"], finish: "length", outputTokens: 2 }),
  ],
  ["content filter", { messages: user("Hello") }, says({ pieces: ["I"], finish: "filter" })],
  [
    "reasoning",
    { messages: user("2 + 2?"), reasoning_effort: "low" },
    says({ pieces: ["4"], reasoning: "Two and two.", outputTokens: 30, reasoningTokens: 20 }),
  ],
  [
    "reasoning, streamed",
    { messages: user("2 + 2?"), reasoning_effort: "low", stream: true, stream_options: { include_usage: true } },
    says({ pieces: ["4"], reasoning: "Two and two.", outputTokens: 30, reasoningTokens: 20 }),
  ],
  ["cached input", { messages: user("Hello") }, says({ pieces: ["Hi"], inputTokens: 2_000, cachedTokens: 1_024 })],
];

const wires = [
  ["chat", "OpenAI"],
  ["claude", "Anthropic"],
  ["flash", "Gemini"],
] as const;

/** Questions about chat completions with the three upstream APIs. */
export const chatQuestions: readonly Question[] = wires.flatMap(([model, wire]) =>
  common
    // This OpenAI model does not support the parameter. The parameter questions cover that case.
    .filter(([scenario]) => model !== "chat" || !scenario.startsWith("reasoning"))
    .map(
      ([scenario, request, upstream]): Question => ({
        operation: "chat completions",
        scenario: `${wire}, ${scenario}`,
        method: "POST",
        path: "/v1/chat/completions",
        body: { model, ...request },
        upstream,
      }),
    ),
);
