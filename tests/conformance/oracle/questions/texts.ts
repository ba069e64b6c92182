import { DONE_FRAME, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "../answers/spoken-answer.ts";
import type { Question } from "../question.ts";

const post = (operation: string, path: string, upstream: Behavior) => {
  return (scenario: string, body: unknown, more: Partial<Question> = {}): Question => ({
    operation,
    scenario,
    method: "POST",
    path,
    body,
    upstream,
    ...more,
  });
};

const completionHead = {
  id: "cmpl-scripted",
  object: "text_completion",
  created: 1_700_000_000,
  model: "gpt-3.5-turbo-instruct:20230824-v2",
};
const completionUsage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const completes: Behavior = (exchange) => {
  const asked = exchange.request.json() as { stream?: boolean; stream_options?: { include_usage?: boolean } };
  const choice = (text: string, finish_reason: string | null) => ({ index: 0, text, logprobs: null, finish_reason });
  if (asked.stream !== true) {
    return reply(200, { ...completionHead, choices: [choice(" hi there", "stop")], usage: completionUsage })(exchange);
  }
  const usage = sseFrame({ ...completionHead, choices: [], usage: completionUsage });
  return streamFrames([
    sseFrame({ ...completionHead, choices: [choice(" hi", null)] }),
    sseFrame({ ...completionHead, choices: [choice(" there", null)] }),
    sseFrame({ ...completionHead, choices: [choice("", "stop")] }),
    ...(asked.stream_options?.include_usage === true ? [usage] : []),
    DONE_FRAME,
  ])(exchange);
};

const complete = post("completions", "/v1/completions", completes);
const refuses = reply(400, { error: { message: "The request is malformed.", type: "x", param: null, code: null } });

const vector = [0.25, -0.5, 1];
const embeds: Behavior = (exchange) => {
  const { input, encoding_format } = exchange.request.json() as { input: unknown; encoding_format?: string };
  const isMany = Array.isArray(input) && typeof input[0] !== "number";
  const embedding =
    encoding_format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
  return reply(200, {
    object: "list",
    model: "text-embedding-3-small",
    data: (isMany ? input : [input]).map((_, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 8, total_tokens: 8 },
  })(exchange);
};

const embed = post("embeddings", "/v1/embeddings", embeds);

const categories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
];
const ofEach = <T>(value: T) => Object.fromEntries(categories.map((name) => [name, value]));
const moderates: Behavior = (exchange) => {
  const { input } = exchange.request.json() as { input: unknown };
  const count = Array.isArray(input) && typeof input[0] === "string" ? input.length : 1;
  const result = {
    flagged: true,
    categories: { ...ofEach(false), violence: true },
    category_scores: { ...ofEach(0.0001), violence: 0.9 },
    category_applied_input_types: ofEach(["text"]),
  };
  return reply(200, {
    id: "modr-scripted",
    model: "omni-moderation-latest",
    results: Array.from({ length: count }, () => result),
  })(exchange);
};

const moderate = post("moderations", "/v1/moderations", moderates);
const model = "omni-moderation-latest";

/** Questions about completions, embeddings, and moderations. */
export const textQuestions: readonly Question[] = [
  complete("text", { model: "instruct", prompt: "Say" }),
  complete("without /v1", { model: "instruct", prompt: "Say" }, { path: "/completions" }),
  complete("streamed", { model: "instruct", prompt: "Say", stream: true }),
  complete("streamed with usage", {
    model: "instruct",
    prompt: "Say",
    stream: true,
    stream_options: { include_usage: true },
  }),
  complete("sampling, suffix, and echo", {
    model: "instruct",
    prompt: "Say",
    max_tokens: 9,
    temperature: 0,
    suffix: "!",
    echo: true,
    logprobs: 1,
  }),
  complete("two prompts", { model: "instruct", prompt: ["Say", "Tell"] }),
  complete("a prompt of token IDs", { model: "instruct", prompt: [46_864, 11] }),
  complete("model in the query", { prompt: "Say" }, { path: "/v1/completions?model=instruct" }),
  complete("model in a deployments path", { prompt: "Say" }, { path: "/openai/deployments/instruct/completions" }),
  complete(
    "an Anthropic chat model",
    { model: "claude", prompt: "Say", max_tokens: 9 },
    { upstream: says({ pieces: ["Hi"], outputTokens: 2 }) },
  ),
  complete("no prompt", { model: "instruct" }),
  complete("no model", { prompt: "Say" }),
  complete("an unknown model", { model: "absent", prompt: "Say" }),
  complete("OpenAI returns 400", { model: "instruct", prompt: "Say" }, { upstream: refuses }),
  complete("no key", { model: "instruct", prompt: "Say" }, { key: "none" }),
  embed("one input", { model: "embed", input: "Hello" }),
  embed("several inputs", { model: "embed", input: ["Hello", "there"] }),
  embed("token IDs", { model: "embed", input: [9_906, 1_070] }),
  embed("lists of token IDs", { model: "embed", input: [[9_906], [1_070]] }),
  embed("base64", { model: "embed", input: "Hello", encoding_format: "base64" }),
  embed("dimensions and user", { model: "embed", input: "Hello", dimensions: 3, user: "someone" }),
  embed("model in a deployments path", { input: "Hello" }, { path: "/openai/deployments/embed/embeddings" }),
  embed("model in an engines path", { input: "Hello" }, { path: "/engines/embed/embeddings" }),
  embed("no input", { model: "embed" }),
  embed("an empty string", { model: "embed", input: "" }),
  embed("an empty list", { model: "embed", input: [] }),
  embed("no model", { input: "Hello" }),
  embed("an unknown model", { model: "absent", input: "Hello" }),
  embed("an upstream URL in the request", { model: "embed", input: "Hello", api_base: "http://127.0.0.1:9" }),
  embed("a logging destination", { model: "embed", input: "Hello", logger_fn: "print" }),
  embed("OpenAI returns 400", { model: "embed", input: "Hello" }, { upstream: refuses }),
  embed("no key", { model: "embed", input: "Hello" }, { key: "none" }),
  moderate("one input", { model, input: "Hello" }),
  moderate("several inputs", { model, input: ["Hello", "there"] }),
  moderate("content parts", { model, input: [{ type: "text", text: "Hello" }] }),
  moderate("no model", { input: "Hello" }),
  moderate("no input", { model }),
  moderate("an unknown model", { model: "absent", input: "Hello" }),
  moderate("OpenAI returns 400", { model, input: "Hello" }, { upstream: refuses }),
  moderate("no key", { model, input: "Hello" }, { key: "none" }),
];
