import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import {
  type CompletionRequest,
  completionParams,
  DEFAULT_MAX_TOKENS,
} from "@tollgate/contracts/completions/completion-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type CallBody, readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, Translation } from "../../call/provider.ts";
import { decodeTokens } from "../../tokens/decode-tokens.ts";
import { itemsOf } from "../../tokens/text-or-tokens.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { asChatCall, toChatBody } from "../as-chat-call.ts";
import { BridgedStreamReader } from "./bridged-stream-reader.ts";
import { type ChatHead, completionHead, finishReasonOf } from "./completion-head.ts";

/** Parameters that chat can't express. */
const unbridgeable: ReadonlySet<string> = new Set(["echo", "suffix", "best_of", "logprobs"]);

/**
 * Chat fields that determine the cost and are checked only for chat calls. A completion request must not contain these
 * fields.
 */
const chatOnly = ["messages", "max_completion_tokens", "service_tier"] as const;

const bridges = new WeakMap<Translation<ChatRequest>, Translation<CompletionRequest>>();

/** Translates text completions for a chat model. The prompt becomes the only user message. */
export function bridgeCompletions(chat: Translation<ChatRequest>): Translation<CompletionRequest> {
  const known = bridges.get(chat);
  if (known !== undefined) return known;
  const made: Translation<CompletionRequest> = {
    supportedParams: (upstreamModel) => bridgedParams(chat.supportedParams(upstreamModel)),
    buildRequest: (call, target, dropped) => {
      const limitParam = limitParamOf(chat.supportedParams(target.upstreamModel));
      const body = bridgeBody(call.body, dropped, limitParam, target.upstreamModel);
      return chat.buildRequest({ ...asChatCall(call, call.wantsUsage), body }, target, dropped);
    },
    readAnswer: (call, text, headers) =>
      toCompletion(chat.readAnswer(asChatCall(call, call.wantsUsage), text, headers)),
    readStream: (call) => new BridgedStreamReader(chat.readStream(asChatCall(call, call.wantsUsage))),
  };
  bridges.set(chat, made);
  return made;
}

function bridgedParams(chatParams: readonly string[]): readonly string[] {
  const takesLimit = limitParamOf(chatParams) !== null;
  return [...completionParams].filter(
    (name) => !unbridgeable.has(name) && (name === "max_tokens" ? takesLimit : chatParams.includes(name)),
  );
}

/** Returns the name of the chat model's output limit parameter. */
function limitParamOf(chatParams: readonly string[]): "max_tokens" | "max_completion_tokens" | null {
  if (chatParams.includes("max_tokens")) return "max_tokens";
  return chatParams.includes("max_completion_tokens") ? "max_completion_tokens" : null;
}

/** Builds the body of the chat call. Its strings are bytes, as in the original body. */
function bridgeBody(
  body: CallBody<CompletionRequest>,
  dropped: ReadonlySet<string>,
  limitParam: "max_tokens" | "max_completion_tokens" | null,
  upstreamModel: string,
): CallBody<ChatRequest> {
  const { prompt, max_tokens: limit, ...others } = readableRequest(body);
  for (const name of chatOnly) if ((others as Record<string, unknown>)[name] != null) throw ofChat(name);
  const fields: Record<string, unknown> = {
    ...others,
    messages: [{ role: "user", content: promptText(prompt, upstreamModel) }],
  };
  for (const name of unbridgeable) if (fields[name] === null) delete fields[name];
  if (limitParam !== null && !dropped.has("max_tokens")) fields[limitParam] = limit ?? DEFAULT_MAX_TOKENS;
  return toChatBody(body, fields);
}

function ofChat(param: string): Failure {
  return new Failure("unsupported_parameter", `Text completions do not support '${param}'.`, {
    param,
    fix: "Remove it, or send a chat completion.",
  });
}

/** Returns the prompt as text. Throws unless there is exactly one prompt. */
function promptText(prompt: CompletionRequest["prompt"], upstreamModel: string): string {
  if (prompt === null) {
    throw new Failure("invalid_request", "This is a chat model and requires a prompt.", { param: "prompt" });
  }
  const [item, ...others] = itemsOf(prompt);
  if (item === undefined || others.length > 0) {
    throw new Failure("invalid_request", "This is a chat model and accepts one prompt per request.", {
      param: "prompt",
      fix: "Send one request per prompt, or choose a model of mode 'completion'.",
    });
  }
  return typeof item === "string" ? item : decodeTokens(item, upstreamModel, "prompt");
}

interface ChatAnswer extends ChatHead {
  readonly choices?: readonly {
    readonly index?: number;
    readonly message?: { readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: object;
}

/**
 * Converts a chat response to a text completion. Decodes it as UTF-8 first, because escaped characters have no
 * single-byte form.
 */
function toCompletion(read: ReadAnswer): ReadAnswer {
  const answer = JSON.parse(Buffer.from(read.text, "latin1").toString("utf8")) as ChatAnswer;
  const completion = {
    ...completionHead(answer),
    choices: (answer.choices ?? []).map((choice, place) => ({
      index: choice.index ?? place,
      text: choice.message?.content ?? "",
      finish_reason: finishReasonOf(choice.finish_reason),
      logprobs: null,
    })),
    ...(answer.usage != null && { usage: answer.usage }),
  };
  return { text: toJsonBytes(completion), usage: read.usage };
}
