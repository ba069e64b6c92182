import { ChatRequest, ChatRequestForModel, openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { Problem } from "@tollgate/contracts/validation/list-problems.ts";
import { NO_PARTS, type OperationKind, type PartTokens } from "../../call/operation-kind.ts";
import { countAnswer } from "../../tokens/count-answer.ts";
import { countInput } from "../count-input.ts";
import {
  addParts,
  audioTokens,
  fileTokens,
  hasOnly,
  type InlineFile,
  imageTokens,
  type Recording,
  UNBOUNDED,
  withTools,
} from "../estimate-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";

/** Chat completions, the most common operation. */
export const chat: OperationKind<ChatRequest> = {
  name: "chat.completions",
  fields: {
    required: ["messages", "thinking"],
    params: openaiChatParams,
    settled: new Set([
      "model",
      "messages",
      "stream",
      "stream_options",
      "n",
      "max_tokens",
      "max_completion_tokens",
      "service_tier",
    ]),
  },
  writesText: true,
  textsIn: "messages",
  schema: ChatRequest,
  schemaForModel: ChatRequestForModel,
  check: checkChatRequest,
  weighParts: estimatePartTokens,
  formOf: (request) => (request.stream === true ? "events" : "whole"),
  wantsUsage: (request) => request.stream === true && request.stream_options?.include_usage === true,
  boundUsage: () => null,
  countUsage: (call, deployment, answer, outputTokens) =>
    estimatedUsage(countInput(call, deployment), answer === null ? outputTokens : countAnswer(answer)),
};

/**
 * Checks chat request rules that a schema can't express. Strings are bytes here, so compare them but never display
 * them.
 */
function checkChatRequest(request: ChatRequest): void {
  if (request.top_logprobs != null && request.logprobs !== true) {
    throw new Failure("invalid_request", "'top_logprobs' requires 'logprobs: true'.", { param: "top_logprobs" });
  }
  if (request.stream_options != null && request.stream !== true) {
    throw new Failure("invalid_request", "'stream_options' requires 'stream: true'.", { param: "stream_options" });
  }
  checkMessages(request.messages);
}

/**
 * Checks that files are not in the operator's account at the provider, that assistant messages have content, and that
 * tool messages answer a tool call in the nearest preceding assistant message.
 */
function checkMessages(messages: ChatRequest["messages"]): void {
  let openCalls: ReadonlySet<string> | null = null;
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index] as ChatRequest["messages"][number];
    if (typeof message.content === "object" && message.content !== null) {
      checkFiles(message.content as readonly Part[], `messages.${index}.content`);
    }
    if (message.role === "assistant") {
      if (saysNothing(message)) throw new ValidationFailure([missingContent(index)]);
      const calls = message.tool_calls;
      openCalls = calls == null || calls.length === 0 ? null : new Set(calls.map((call) => call.id));
    } else if (message.role === "tool" && !openCalls?.has(message.tool_call_id)) {
      throw new Failure(
        "invalid_request",
        "A tool message must answer a tool call in the preceding assistant message.",
        {
          param: `messages.${index}.tool_call_id`,
        },
      );
    }
  }
}

/** Rejects file IDs, because they refer to files in the operator's own account. Gemini takes URLs in the same field. */
function checkFiles(parts: readonly Part[], at: string): void {
  for (let index = 0; index < parts.length; index += 1) {
    const id = parts[index]?.file?.file_id;
    if (id == null || (typeof id === "string" && isUrl(id))) continue;
    throw new Failure("invalid_request", "File IDs are not supported.", {
      param: `${at}.${index}.file.file_id`,
      fix: "Send the file itself in 'file_data'.",
    });
  }
}

function isUrl(text: string): boolean {
  return text.startsWith("https://") || text.startsWith("gs://") || text.startsWith("data:");
}

function saysNothing(message: Extract<ChatRequest["messages"][number], { role: "assistant" }>): boolean {
  return (
    message.content == null &&
    message.tool_calls == null &&
    message.function_call == null &&
    message.refusal == null &&
    message.audio == null
  );
}

function missingContent(index: number): Problem {
  return { loc: ["body", "messages", index, "content"], msg: "Field required", type: "missing" };
}

/** Members of a message that are objects and contain only text, apart from `content`. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set([
  "content",
  "tool_calls",
  "function_call",
  "reasoning_details",
  "thinking_blocks",
  "annotations",
  "cache_control",
  "provider_specific_fields",
]);

const TEXT_NAMES: ReadonlySet<string> = new Set(["type", "text", "refusal", "annotations", "cache_control", "uuid"]);
const IMAGE_NAMES: ReadonlySet<string> = new Set(["type", "image_url", "cache_control", "uuid"]);
const IMAGE_URL_NAMES: ReadonlySet<string> = new Set(["url", "detail", "format"]);
const AUDIO_NAMES: ReadonlySet<string> = new Set(["type", "input_audio", "cache_control", "uuid"]);
const FILE_NAMES: ReadonlySet<string> = new Set(["type", "file", "cache_control"]);

/**
 * Estimates the number of tokens for a request's images, audio, videos, and files. Their size in bytes doesn't predict
 * their tokens, so they are excluded from the byte-based estimate.
 */
export function estimatePartTokens(request: ChatRequest): PartTokens {
  const { messages, modalities, audio } = request;
  const hasAudio = audio != null || modalities?.includes("audio") === true;
  let sum: PartTokens = hasAudio ? { ...NO_PARTS, hasAudio } : NO_PARTS;
  for (const message of messages) {
    if (!hasOnlyText(message)) sum = addParts(sum, UNBOUNDED);
    const { content } = message;
    if (typeof content === "string" || !Array.isArray(content)) continue;
    for (const part of content as readonly object[]) sum = addParts(sum, estimateOnePart(part as Part));
  }
  return withTools(sum, request);
}

/** Reports whether no member except `content` has media, such as `audio`, which refers to an earlier response. */
function hasOnlyText(message: object): boolean {
  for (const name in message) {
    const value = (message as Readonly<Record<string, unknown>>)[name];
    if (typeof value === "object" && value !== null && !TEXT_MEMBERS.has(name)) return false;
  }
  return true;
}

interface Part {
  readonly type?: unknown;
  readonly image_url?: { readonly url?: unknown; readonly format?: unknown; readonly detail?: unknown } | string | null;
  readonly input_audio?: Recording | null;
  readonly file?: (InlineFile & { readonly file_id?: unknown }) | null;
}

function estimateOnePart(part: Part): PartTokens {
  const { type, image_url: image, input_audio: audio, file } = part;
  if (type === "text" || type === "refusal") return hasOnly(part, TEXT_NAMES) ? NO_PARTS : UNBOUNDED;
  if (type === "image_url" && hasOnly(part, IMAGE_NAMES)) {
    if (typeof image !== "object" || image === null) return imageTokens(image);
    return hasOnly(image, IMAGE_URL_NAMES) ? imageTokens(image.url, image) : UNBOUNDED;
  }
  if (type === "input_audio" && hasOnly(part, AUDIO_NAMES)) return audioTokens(audio);
  if (type === "file" && hasOnly(part, FILE_NAMES)) return fileTokens(file);
  return UNBOUNDED;
}
