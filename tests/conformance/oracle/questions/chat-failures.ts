import { sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, cutBeforeHeaders, reply, streamFrames } from "@tollgate/testkit/upstream-behaviours.ts";
import type { Question } from "../question.ts";
import { user } from "./chat-parts.ts";

const ask = (scenario: string, model: string, upstream: Behavior, more: object = {}): Question => ({
  operation: "chat completions",
  scenario,
  method: "POST",
  path: "/v1/chat/completions",
  body: { model, messages: user("Hello"), ...more },
  upstream,
});

const openAi = (status: number, code: string | null, message: string, headers: Record<string, string> = {}) =>
  reply(status, { error: { message, type: "some_error", param: null, code } }, headers);
const anthropic = (status: number, type: string, message: string, headers: Record<string, string> = {}) =>
  reply(status, { type: "error", error: { type, message }, request_id: "req_scripted" }, headers);
const gemini = (status: number, state: string, message: string, details: readonly object[] = []) =>
  reply(status, { error: { code: status, message, status: state, details } });
const badKey = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "API_KEY_INVALID",
  domain: "googleapis.com",
};

const tooLong =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.";
const started = sseFrame({
  id: "chatcmpl-scripted",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "gpt-4o-mini",
  choices: [{ index: 0, delta: { role: "assistant", content: "Half" }, finish_reason: null }],
});

/** The second frame is empty and late enough for the first to be received. */
const breaksAfterAFrame = streamFrames([started, ": \n\n"], { delayMs: 200, cutAfterFrames: 2 });

/** Client-visible results when an upstream refuses or fails. */
export const chatFailureQuestions: readonly Question[] = [
  ask("OpenAI answers 400", "chat", openAi(400, null, "The request is odd.")),
  ask("OpenAI answers 400, context too long", "chat", openAi(400, "context_length_exceeded", tooLong)),
  ask(
    "OpenAI answers 400, against policy",
    "chat",
    openAi(400, "content_policy_violation", "Your request was rejected as a result of our safety system."),
  ),
  ask("OpenAI answers 401", "chat", openAi(401, "invalid_api_key", "Incorrect API key provided.")),
  ask("OpenAI answers 403", "chat", openAi(403, null, "Not allowed here.")),
  ask("OpenAI answers 404", "chat", openAi(404, "model_not_found", "The model does not exist.")),
  ask("OpenAI answers 408", "chat", openAi(408, null, "Too slow.")),
  ask("OpenAI answers 422", "chat", openAi(422, null, "Cannot be processed.")),
  ask("OpenAI answers 429", "chat", openAi(429, "rate_limit_exceeded", "Slow down.", { "retry-after": "7" })),
  ask("OpenAI answers 500", "chat", openAi(500, null, "Broken.")),
  ask("OpenAI answers 502", "chat", openAi(502, null, "Behind it is nobody.")),
  ask("OpenAI answers 503", "chat", openAi(503, null, "Busy.")),
  ask("OpenAI answers 504", "chat", openAi(504, null, "Nobody answered in time.")),
  ask("OpenAI breaks the connection", "chat", cutBeforeHeaders()),
  ask("OpenAI answers with something else", "chat", reply(200, "<html>hello</html>", { "content-type": "text/html" })),
  ask("OpenAI answers 429 to a stream", "chat", openAi(429, null, "Slow down."), { stream: true }),
  ask("OpenAI breaks in a stream", "chat", breaksAfterAFrame, { stream: true }),
  ask(
    "OpenAI sends an error in a stream",
    "chat",
    streamFrames([started, sseFrame({ error: { message: "Broken.", type: "server_error", param: null, code: null } })]),
    { stream: true },
  ),
  ask("Anthropic answers 400", "claude", anthropic(400, "invalid_request_error", "The request is odd.")),
  ask(
    "Anthropic answers 400, context too long",
    "claude",
    anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
  ),
  ask("Anthropic answers 401", "claude", anthropic(401, "authentication_error", "invalid x-api-key")),
  ask("Anthropic answers 404", "claude", anthropic(404, "not_found_error", "model: absent")),
  ask("Anthropic answers 413", "claude", anthropic(413, "request_too_large", "Request exceeds the maximum size")),
  ask("Anthropic answers 429", "claude", anthropic(429, "rate_limit_error", "Slow down.", { "retry-after": "7" })),
  ask("Anthropic answers 500", "claude", anthropic(500, "api_error", "Internal server error")),
  ask("Anthropic answers 529", "claude", anthropic(529, "overloaded_error", "Overloaded")),
  ask("Gemini answers 400", "flash", gemini(400, "INVALID_ARGUMENT", "The request is odd.")),
  ask(
    "Gemini answers 400, key refused",
    "flash",
    gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [badKey]),
  ),
  ask("Gemini answers 403", "flash", gemini(403, "PERMISSION_DENIED", "Not allowed here.")),
  ask("Gemini answers 404", "flash", gemini(404, "NOT_FOUND", "models/absent is not found")),
  ask("Gemini answers 429", "flash", gemini(429, "RESOURCE_EXHAUSTED", "Quota exceeded.")),
  ask("Gemini answers 500", "flash", gemini(500, "INTERNAL", "An internal error has occurred.")),
  ask("Gemini answers 503", "flash", gemini(503, "UNAVAILABLE", "The model is overloaded.")),
];
