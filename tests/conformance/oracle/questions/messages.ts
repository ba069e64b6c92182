import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "../answers/spoken-answer.ts";
import type { Question } from "../question.ts";
import { user } from "./chat-parts.ts";

const hello = says({ pieces: ["Hello ", "there."] });
const weather = says({
  pieces: [],
  toolCalls: [{ id: "toolu_scripted_1", name: "get_weather", input: { city: "Oslo" } }],
  finish: "tools",
});
const tool = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const counts = reply(200, { input_tokens: 9 });
const busy = reply(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } });

const ask = (scenario: string, body: object, upstream: Behavior = hello, more: Partial<Question> = {}): Question => ({
  operation: "messages",
  scenario,
  method: "POST",
  path: "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  body,
  upstream,
  ...more,
});

const said = { max_tokens: 64, messages: user("Hello") };
const results = [
  ...user("Weather?"),
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain" }] },
];

/** Questions about the Messages API, with Anthropic and OpenAI upstreams. */
export const messageQuestions: readonly Question[] = [
  ...(["claude", "chat"] as const).flatMap((model) => [
    ask(`${model}, text`, { model, ...said }),
    ask(`${model}, streamed`, { model, ...said, stream: true }),
    ask(`${model}, system prompt and sampling`, {
      model,
      ...said,
      system: "Be brief.",
      temperature: 0.5,
      stop_sequences: ["END"],
    }),
    ask(`${model}, tools`, { model, ...said, tools: [tool] }, weather),
    ask(`${model}, tools, streamed`, { model, ...said, tools: [tool], stream: true }, weather),
    ask(`${model}, tool results`, { model, max_tokens: 64, tools: [tool], messages: results }),
  ]),
  ask("key in x-api-key", { model: "claude", ...said }, hello, {
    key: "none",
    headers: { "anthropic-version": "2023-06-01", "x-api-key": "MASTER_KEY" },
  }),
  ask("no max_tokens", { model: "claude", messages: user("Hello") }),
  ask("no messages", { model: "claude", max_tokens: 64 }),
  ask("an unknown model", { model: "absent", ...said }),
  ask("no key", { model: "claude", ...said }, hello, { key: "none" }),
  ask("Anthropic returns 529", { model: "claude", ...said }, busy),
  ask("message token count", { model: "claude", messages: user("Hello") }, counts, {
    path: "/v1/messages/count_tokens",
  }),
];
