import { says } from "../answers/spoken-answer.ts";
import type { Question } from "../question.ts";
import { user } from "./chat-parts.ts";

const hello = says({ pieces: ["Hello."] });
const messages = user("Hello");

const ask = (scenario: string, body: unknown, more: Partial<Question> = {}): Question => ({
  operation: "chat completions",
  scenario,
  method: "POST",
  path: "/v1/chat/completions",
  body,
  upstream: hello,
  ...more,
});

const carriedBy = (header: string) =>
  ask(`key in ${header}`, { model: "chat", messages }, { key: "none", headers: { [header]: "MASTER_KEY" } });

/** Questions about paths, keys, rejected and unusual requests, and parameters. */
export const chatRequestQuestions: readonly Question[] = [
  ask("without /v1", { model: "chat", messages }, { path: "/chat/completions" }),
  ask("model in an engines path", { messages }, { path: "/engines/chat/chat/completions" }),
  ask("model in a deployments path", { messages }, { path: "/openai/deployments/chat/chat/completions" }),
  ask(
    "model in both the path and the body",
    { model: "claude", messages },
    { path: "/openai/deployments/chat/chat/completions" },
  ),
  ask("a model matching a wildcard", { model: "groq/llama-3.1-8b-instant", messages }),
  carriedBy("x-gw-api-key"),
  carriedBy("x-api-key"),
  carriedBy("api-key"),
  ask("no key", { model: "chat", messages }, { key: "none" }),
  ask("an unknown key", { model: "chat", messages }, { key: "unknown" }),
  ask("an unknown key and invalid JSON", "{", { key: "unknown" }),
  ask("invalid JSON", "{"),
  ask("no model", { messages }),
  ask("no messages", { model: "chat" }),
  ask("empty messages", { model: "chat", messages: [] }),
  ask("messages as a string", { model: "chat", messages: "Hello" }),
  ask("a message without a role", { model: "chat", messages: [{ content: "Hello" }] }),
  ask("an unknown role", { model: "chat", messages: [{ role: "wizard", content: "Hello" }] }),
  ask("a temperature as a string", { model: "chat", messages, temperature: "warm" }),
  ask("a temperature out of range", { model: "chat", messages, temperature: 3 }),
  ask("stream_options without stream", { model: "chat", messages, stream_options: { include_usage: true } }),
  ask("an unknown model", { model: "absent", messages }),
  ask("an unknown fallback", { model: "chat", messages, fallbacks: ["absent"] }),
  ask("an unsupported parameter", { model: "claude", messages, frequency_penalty: 1 }),
  ask("an unsupported parameter, Gemini", { model: "flash", messages, logit_bias: { "1": 5 } }),
  ask("an unsupported parameter, drop_params in the request", {
    model: "claude",
    messages,
    frequency_penalty: 1,
    drop_params: true,
  }),
  ask("an unsupported parameter, drop_params on the deployment", { model: "lenient", messages, frequency_penalty: 1 }),
  ask("reasoning_effort for a model without reasoning", { model: "chat", messages, reasoning_effort: "low" }),
  ask("a parameter dropped by name", {
    model: "chat",
    messages,
    temperature: 0.5,
    additional_drop_params: ["temperature"],
  }),
  ask("an unknown parameter", { model: "chat", messages, x_future: { a: 1 } }),
  ask("null parameters", { model: "chat", messages, temperature: null, tools: null, stop: null }),
  ask("metadata and tags", { model: "chat", messages, metadata: { tags: ["a"], note: "x" }, tags: ["b"] }),
  ask("extra_body", { model: "chat", messages, extra_body: { top_k: 5 } }),
  ask("two choices", { model: "chat", messages, n: 2 }),
  ask("two choices, Anthropic", { model: "claude", messages, n: 2 }),
  ask("max_completion_tokens", { model: "chat", messages, max_completion_tokens: 20 }),
  ask("max_completion_tokens, Anthropic", { model: "claude", messages, max_completion_tokens: 20 }),
  ask("an upstream URL in the request", { model: "chat", messages, api_base: "http://127.0.0.1:9" }),
  ask("an upstream API key in the request", { model: "chat", messages, api_key: "sk-mine" }),
  ask("a call ID from the client", { model: "chat", messages }, { headers: { "x-gw-call-id": "my-call" } }),
];
