import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import type { Question } from "../question.ts";
import { cityTool, user } from "./chat-parts.ts";

const ask = (operation: string, path: string) => {
  return (scenario: string, body: unknown, more: Partial<Question> = {}): Question => ({
    operation,
    scenario,
    method: "POST",
    path,
    body,
    ...more,
  });
};

const count = ask("token counter", "/utils/token_counter");
const transform = ask("transform request", "/utils/transform_request");
const supported = (scenario: string, query: string, more: Partial<Question> = {}): Question => ({
  operation: "supported params",
  scenario,
  method: "GET",
  path: `/utils/supported_openai_params${query}`,
  ...more,
});

const messages = user("Hello, how are you?");
const counts: Behavior = (exchange) =>
  exchange.request.path.includes("countTokens")
    ? reply(200, { totalTokens: 33 })(exchange)
    : reply(200, { input_tokens: 33 })(exchange);

/** Questions about utility operations, which describe calls without making them. */
export const utilityQuestions: readonly Question[] = [
  count("a prompt", { model: "chat", prompt: "Hello, how are you?" }),
  count("messages", { model: "chat", messages }),
  count("messages with a system prompt and a name", {
    model: "chat",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", name: "ada", content: "Hello" },
    ],
  }),
  count("messages and tools", { model: "chat", messages, tools: [cityTool] }),
  count("messages for Anthropic", { model: "claude", messages }),
  count("a model that isn't configured", { model: "gpt-4o", messages }),
  count("an unrecognized model", { model: "absent", messages }),
  count("no text to count", { model: "chat" }),
  count("no model", { messages }),
  count("invalid JSON", "{"),
  count("no key", { model: "chat", messages }, { key: "none" }),
  count(
    "counted by Anthropic",
    { model: "claude", messages },
    {
      path: "/utils/token_counter?call_endpoint=true",
      upstream: counts,
    },
  ),
  count(
    "counted by Gemini",
    { model: "flash", contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
    {
      path: "/utils/token_counter?call_endpoint=true",
      upstream: counts,
    },
  ),
  supported("OpenAI", "?model=openai/gpt-4o-mini"),
  supported("Anthropic", "?model=anthropic/claude-sonnet-4-5"),
  supported("Gemini", "?model=gemini/gemini-2.5-flash"),
  supported("a model group", "?model=chat"),
  supported("an unrecognized model", "?model=absent"),
  supported("no model", ""),
  supported("no key", "?model=openai/gpt-4o-mini", { key: "none" }),
  transform("a model group", { call_type: "completion", request_body: { model: "chat", messages } }),
  transform("OpenAI", {
    call_type: "completion",
    request_body: { model: "openai/gpt-4o-mini", messages, temperature: 0.5 },
  }),
  transform("Anthropic", {
    call_type: "completion",
    request_body: {
      model: "anthropic/claude-sonnet-4-5",
      messages: [{ role: "system", content: "Be brief." }, ...messages],
      max_tokens: 9,
    },
  }),
  transform("Gemini", {
    call_type: "completion",
    request_body: { model: "gemini/gemini-2.5-flash", messages, max_tokens: 9 },
  }),
  transform("embeddings", { call_type: "embedding", request_body: { model: "embed", input: "Hello" } }),
  transform("an unknown call type", { call_type: "other", request_body: { model: "chat", messages } }),
  transform("no request body", { call_type: "completion" }),
  transform("an unknown model", { call_type: "completion", request_body: { model: "absent", messages } }),
  transform("an unsupported parameter", {
    call_type: "completion",
    request_body: { model: "anthropic/claude-sonnet-4-5", messages, frequency_penalty: 1 },
  }),
  transform("no key", { call_type: "completion", request_body: { model: "chat", messages } }, { key: "none" }),
];
