import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { type ResponseRequest, responseParams } from "@tollgate/contracts/responses/response-request.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { asChatCall, toChatBody } from "../as-chat-call.ts";
import { BridgedResponseReader } from "./bridged-response-reader.ts";
import { incompleteReason } from "./incomplete-reason.ts";
import { type ChatAnswerMessage, ItemIds, toOutputItems } from "./output-items.ts";
import { limitParamOf, toChatRequest } from "./to-chat-request.ts";
import { ToolNames } from "./tool-names.ts";
import { echoOf, toResponse } from "./write-response.ts";

const bridges = new WeakMap<Translation<ChatRequest>, Translation<ResponseRequest>>();

/** Translates Responses requests for a chat model. Items become messages, and the chat response becomes items. */
export function bridgeResponses(chat: Translation<ChatRequest>): Translation<ResponseRequest> {
  const known = bridges.get(chat);
  if (known !== undefined) return known;
  const made: Translation<ResponseRequest> = {
    supportedParams: (upstreamModel) => bridgedParams(new Set(chat.supportedParams(upstreamModel))),
    buildRequest: (call, target, dropped) => {
      const takes = target.chatParams ?? new Set(chat.supportedParams(target.upstreamModel));
      const body = toChatBody(call.body, toChatRequest(readableRequest(call.body), takes, dropped));
      return chat.buildRequest({ ...asChatCall(call, call.isStream), body }, target, dropped);
    },
    readAnswer: (call, text, headers) =>
      toAnswer(call, chat.readAnswer(asChatCall(call, call.isStream), text, headers)),
    readStream: (call) => new BridgedResponseReader(chat.readStream(asChatCall(call, call.isStream)), call),
  };
  bridges.set(chat, made);
  return made;
}

/**
 * Returns the supported parameters. The parameters listed here depend on the chat model. All other parameters are
 * either translated or optional hints.
 */
function bridgedParams(takes: ReadonlySet<string>): readonly string[] {
  const needs: Readonly<Record<string, boolean>> = {
    tools: takes.has("tools"),
    temperature: takes.has("temperature"),
    top_p: takes.has("top_p"),
    max_output_tokens: limitParamOf(takes) !== null,
    top_logprobs: false,
  };
  return [...responseParams].filter((name) => needs[name] ?? true);
}

interface ChatAnswer {
  readonly choices?: readonly {
    readonly message?: ChatAnswerMessage | null;
    readonly finish_reason?: string | null;
  }[];
}

function toAnswer(call: TranslatedCall<ResponseRequest>, read: ReadAnswer): ReadAnswer {
  const { choices } = JSON.parse(Buffer.from(read.text, "latin1").toString("utf8")) as ChatAnswer;
  const choice = choices?.[0];
  if (choice?.message == null) throw unreadable();
  const echo = echoOf(call);
  const reason = incompleteReason(choice.finish_reason);
  const status = reason === null ? "completed" : "incomplete";
  const tools = new ToolNames(echo.tools);
  const output = toOutputItems(choice.message, new ItemIds(echo.id), tools, status);
  const response = toResponse(echo, { status, output, usage: read.usage, incompleteReason: reason });
  return { text: toJsonBytes(response), usage: read.usage };
}
