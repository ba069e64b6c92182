import { sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, cutBeforeHeaders, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
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

/** The second frame is empty and so late that the first frame has already been received. */
const breaksAfterAFrame = streamFrames([started, ": \n\n"], { delayMs: 200, cutAfterFrames: 2 });

/** Questions about responses when an upstream refuses or fails. */
export const chatFailureQuestions: readonly Question[] = [
  ask("OpenAI returns 400", "chat", openAi(400, null, "The request is malformed.")),
  ask("OpenAI returns 400, context window exceeded", "chat", openAi(400, "context_length_exceeded", tooLong)),
  ask(
    "OpenAI returns 400, content policy violation",
    "chat",
    openAi(400, "content_policy_violation", "Your request was rejected as a result of our safety system."),
  ),
  ask("OpenAI returns 401", "chat", openAi(401, "invalid_api_key", "Incorrect API key provided.")),
  ask("OpenAI returns 403", "chat", openAi(403, null, "Not allowed here.")),
  ask("OpenAI returns 404", "chat", openAi(404, "model_not_found", "The model does not exist.")),
  ask("OpenAI returns 408", "chat", openAi(408, null, "Too slow.")),
  ask("OpenAI returns 422", "chat", openAi(422, null, "Cannot be processed.")),
  ask("OpenAI returns 429", "chat", openAi(429, "rate_limit_exceeded", "Slow down.", { "retry-after": "7" })),
  ask("OpenAI returns 500", "chat", openAi(500, null, "Broken.")),
  ask("OpenAI returns 502", "chat", openAi(502, null, "No backend is available.")),
  ask("OpenAI returns 503", "chat", openAi(503, null, "Busy.")),
  ask("OpenAI returns 504", "chat", openAi(504, null, "The backend did not respond.")),
  ask("OpenAI closes the connection", "chat", cutBeforeHeaders()),
  ask("OpenAI returns HTML", "chat", reply(200, "<html>hello</html>", { "content-type": "text/html" })),
  ask("OpenAI returns 429 to a streaming request", "chat", openAi(429, null, "Slow down."), { stream: true }),
  ask("OpenAI disconnects during a stream", "chat", breaksAfterAFrame, { stream: true }),
  ask(
    "OpenAI sends an error during a stream",
    "chat",
    streamFrames([started, sseFrame({ error: { message: "Broken.", type: "server_error", param: null, code: null } })]),
    { stream: true },
  ),
  ask("Anthropic returns 400", "claude", anthropic(400, "invalid_request_error", "The request is malformed.")),
  ask(
    "Anthropic returns 400, context window exceeded",
    "claude",
    anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
  ),
  ask("Anthropic returns 401", "claude", anthropic(401, "authentication_error", "invalid x-api-key")),
  ask("Anthropic returns 404", "claude", anthropic(404, "not_found_error", "model: absent")),
  ask("Anthropic returns 413", "claude", anthropic(413, "request_too_large", "Request exceeds the maximum size")),
  ask("Anthropic returns 429", "claude", anthropic(429, "rate_limit_error", "Slow down.", { "retry-after": "7" })),
  ask("Anthropic returns 500", "claude", anthropic(500, "api_error", "Internal server error")),
  ask("Anthropic returns 529", "claude", anthropic(529, "overloaded_error", "Overloaded")),
  ask("Gemini returns 400", "flash", gemini(400, "INVALID_ARGUMENT", "The request is malformed.")),
  ask(
    "Gemini returns 400, invalid API key",
    "flash",
    gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [badKey]),
  ),
  ask("Gemini returns 403", "flash", gemini(403, "PERMISSION_DENIED", "Not allowed here.")),
  ask("Gemini returns 404", "flash", gemini(404, "NOT_FOUND", "models/absent is not found")),
  ask("Gemini returns 429", "flash", gemini(429, "RESOURCE_EXHAUSTED", "Quota exceeded.")),
  ask("Gemini returns 500", "flash", gemini(500, "INTERNAL", "An internal error has occurred.")),
  ask("Gemini returns 503", "flash", gemini(503, "UNAVAILABLE", "The model is overloaded.")),
];
