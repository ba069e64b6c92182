import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import {
  type CompletionRequest,
  completionParams,
  DEFAULT_MAX_TOKENS,
} from "@tollgate/contracts/completions/completion-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type CallBody, readableRequest } from "../../pipeline/body/call-body.ts";
import { toJsonBytes } from "../../providers/openai/edit-body.ts";
import type { ReadAnswer, Translation } from "../../providers/provider.ts";
import { decodeTokens } from "../../tokens/decode-tokens.ts";
import { itemsOf } from "../../tokens/text-or-tokens.ts";
import { asChatCall, toChatBody } from "../as-chat-call.ts";
import { BridgedStreamReader } from "./bridged-stream-reader.ts";
import { type ChatHead, completionHead, finishReasonOf } from "./completion-words.ts";

/** What a chat model has no words for. */
const unbridgeable: ReadonlySet<string> = new Set(["echo", "suffix", "best_of", "logprobs"]);

/** What decides the cost of a chat and is checked there alone; a completion knows none of it. */
const chatOnly = ["messages", "max_completion_tokens", "service_tier"] as const;

const bridges = new WeakMap<Translation<ChatRequest>, Translation<CompletionRequest>>();

/** Text completions of a model that only chats: the prompt becomes the one message of a user. */
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

/** The name a chat model knows the limit of its answer by. */
function limitParamOf(chatParams: readonly string[]): "max_tokens" | "max_completion_tokens" | null {
  if (chatParams.includes("max_tokens")) return "max_tokens";
  return chatParams.includes("max_completion_tokens") ? "max_completion_tokens" : null;
}

/** The body of the chat call, with texts as bytes like the one it is made of. */
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

/** The one prompt. */
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

/** Read as characters, because what is written with escapes has no single byte. */
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
