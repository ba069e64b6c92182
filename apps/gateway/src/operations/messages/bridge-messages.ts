import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type MessageRequest, messageParams } from "@tollgate/contracts/messages/message-request.ts";
import { type CallBody, readableRequest } from "../../pipeline/body/call-body.ts";
import { leaveOut } from "../../pipeline/body/leave-out.ts";
import type { TranslatedCall, Translation, UpstreamTarget } from "../../providers/provider.ts";
import { asChatCall, toChatBody } from "../as-chat-call.ts";
import { BridgedMessageReader } from "./bridged-message-reader.ts";
import { limitParamOf, toChatRequest } from "./to-chat-request.ts";
import { toolNamesOf } from "./to-chat-tools.ts";
import { toMessage } from "./to-message.ts";

/** What a chat model must know for a parameter of this wire to reach it; what is not named here can always be sent. */
const needed: Readonly<Record<string, string>> = { tools: "tools", tool_choice: "tool_choice", stop_sequences: "stop" };

/** What chat has no word for. */
const unbridgeable: ReadonlySet<string> = new Set(["top_k"]);

/** What only a provider of this wire can do, and whose absence would change what the answer means. */
const ofThisWire = ["mcp_servers", "container"] as const;

const bridges = new WeakMap<Translation<ChatRequest>, Translation<MessageRequest>>();

/** Messages of a model that is asked by chat completions. */
export function bridgeMessages(chat: Translation<ChatRequest>): Translation<MessageRequest> {
  const known = bridges.get(chat);
  if (known !== undefined) return known;
  const made: Translation<MessageRequest> = {
    supportedParams: (upstreamModel) => bridgedParams(new Set(chat.supportedParams(upstreamModel))),
    buildRequest: (call, target, dropped) => {
      const body = bridgeBody(call.body, target, dropped, chat);
      return chat.buildRequest({ ...asChatCall(call, call.isStream), body }, target, dropped);
    },
    readAnswer: (call, text, headers) =>
      toMessage(chat.readAnswer(asChatCall(call, call.isStream), text, headers), shownOf(call)),
    readStream: (call) => new BridgedMessageReader(chat.readStream(asChatCall(call, call.isStream)), shownOf(call)),
  };
  bridges.set(chat, made);
  return made;
}

/** What of a call decides how its answer is written. */
export interface ShownMessage {
  readonly modelName: string;
  /** Clients that did not ask for thoughts take the first block for the answer. */
  readonly showsThoughts: boolean;
  readonly toolNames: ReadonlyMap<string, string> | null;
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

/** The body of the chat call, with texts as bytes like the one it is made of. */
function bridgeBody(
  body: CallBody<MessageRequest>,
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
    params: new Set(chat.supportedParams(target.upstreamModel)),
    reasons: target.facts?.supports_reasoning === true,
    dropsParams: whole.drop_params ?? target.dropsParams ?? false,
    keepsMarks: chat.readsCacheMarks === true,
  });
  return toChatBody(body, fields);
}

function ofOneWire(param: string): Failure {
  return new Failure("unsupported_parameter", `Only Anthropic models support '${param}'.`, { param });
}
