import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "../answers/spoken-answer.ts";
import type { Question } from "../question.ts";

const hello = says({ pieces: ["Hello ", "there."] });
const weather = says({
  pieces: [],
  toolCalls: [{ id: "call_scripted_1", name: "get_weather", input: { city: "Oslo" } }],
  finish: "tools",
});
const tool = {
  type: "function",
  name: "get_weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const refuses = reply(400, { error: { message: "The request is malformed.", type: "x", param: null, code: null } });

const ask = (scenario: string, body: object, upstream: Behavior = hello, more: Partial<Question> = {}): Question => ({
  operation: "responses",
  scenario,
  method: "POST",
  path: "/v1/responses",
  body,
  upstream,
  ...more,
});

/** Questions about the Responses API, with an upstream that supports it and one that supports only chat. */
export const responseQuestions: readonly Question[] = [
  ...(["chat", "claude"] as const).flatMap((model) => [
    ask(`${model}, text`, { model, input: "Hello" }),
    ask(`${model}, streamed`, { model, input: "Hello", stream: true }),
    ask(`${model}, instructions and output limit`, {
      model,
      input: "Hello",
      instructions: "Be brief.",
      max_output_tokens: 64,
    }),
    ask(`${model}, tools`, { model, input: "Weather?", tools: [tool] }, weather),
    ask(`${model}, tools, streamed`, { model, input: "Weather?", tools: [tool], stream: true }, weather),
    ask(`${model}, content parts`, {
      model,
      input: [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    }),
  ]),
  ask("an unknown model", { model: "absent", input: "Hello" }),
  ask("no key", { model: "chat", input: "Hello" }, hello, { key: "none" }),
  ask("OpenAI returns 400", { model: "chat", input: "Hello" }, refuses),
];
