import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type MessageRequest, messageParams } from "@tollgate/contracts/messages/message-request.ts";
import { type CallBody, readableRequest } from "../../call/call-body.ts";
import type { TranslatedCall, Translation, UpstreamTarget } from "../../call/provider.ts";
import { leaveOut } from "../../wire/edit-body.ts";
import { asChatCall, toChatBody } from "../as-chat-call.ts";
import { BridgedMessageReader } from "./bridged-message-reader.ts";
import { limitParamOf, toChatRequest } from "./to-chat-request.ts";
import { toolNamesOf } from "./to-chat-tools.ts";
import { type ShownMessage, toMessage } from "./to-message.ts";

/**
 * Maps each Messages parameter to the chat parameter that the model must support. Parameters that aren't listed can
 * always be sent.
 */
const needed: Readonly<Record<string, string>> = { tools: "tools", tool_choice: "tool_choice", stop_sequences: "stop" };

/** Parameters that chat can't express. */
const unbridgeable: ReadonlySet<string> = new Set(["top_k"]);

/** Fields that only a Messages API provider supports. Dropping them would change the meaning of the response. */
const ofThisWire = ["mcp_servers", "container"] as const;

const bridges = new WeakMap<Translation<ChatRequest>, Translation<MessageRequest>>();

/** Translates the Messages API for a model that is called through chat completions. */
export function bridgeMessages(chat: Translation<ChatRequest>): Translation<MessageRequest> {
  const known = bridges.get(chat);
  if (known !== undefined) return known;
  const made: Translation<MessageRequest> = {
    supportedParams: (upstreamModel) => bridgedParams(new Set(chat.supportedParams(upstreamModel))),
    buildRequest: (call, target, dropped) => {
      const body = bridgeBody(call, target, dropped, chat);
      return chat.buildRequest({ ...asChatCall(call, call.isStream), body }, target, dropped);
    },
    readAnswer: (call, text, headers) =>
      toMessage(chat.readAnswer(asChatCall(call, call.isStream), text, headers), shownOf(call)),
    readStream: (call) => new BridgedMessageReader(chat.readStream(asChatCall(call, call.isStream)), shownOf(call)),
  };
  bridges.set(chat, made);
  return made;
}

function shownOf({ model, body }: TranslatedCall<MessageRequest>): ShownMessage {
  const { thinking, tools } = body.request;
  return {
    modelName: model.shownName,
    showsThoughts: thinking != null && thinking.type !== "disabled",
    toolNames: toolNamesOf(tools),
  };
}

function bridgedParams(chatParams: ReadonlySet<string>): readonly string[] {
  return [...messageParams].filter((name) => {
    if (unbridgeable.has(name)) return false;
    if (name === "max_tokens") return limitParamOf(chatParams) !== null;
    const counterpart = needed[name];
    return counterpart === undefined || chatParams.has(counterpart);
  });
}

/** Builds the body of the chat call. Its strings are bytes, as in the original body. */
function bridgeBody(
  { body, exchange }: TranslatedCall<MessageRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  chat: Translation<ChatRequest>,
): CallBody<ChatRequest> {
  const whole = readableRequest(body);
  for (const name of ofThisWire) {
    if ((whole as Record<string, unknown>)[name] != null) throw ofOneWire(name);
  }
  const request = { ...whole };
  leaveOut(request, new Set([...dropped].filter((name) => messageParams.has(name) || name.includes("."))));
  const fields = toChatRequest(request, {
    params: target.chatParams ?? new Set(chat.supportedParams(target.upstreamModel)),
    reasons: target.facts?.supports_reasoning === true,
    dropsParams: whole.drop_params ?? target.dropsParams ?? false,
    keepsMarks: chat.readsCacheMarks === true,
    session: exchange?.headers.session ?? null,
  });
  return toChatBody(body, fields);
}

function ofOneWire(param: string): Failure {
  return new Failure("unsupported_parameter", `Only Anthropic models support '${param}'.`, { param });
}
