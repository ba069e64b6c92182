import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { messageParams } from "@tollgate/contracts/messages/message-request.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { editBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { modelEdit, requestHeaders } from "../build-request.ts";
import { withClientHeaders } from "./client-headers.ts";
import { NativeMessagesReader } from "./native-messages-reader.ts";
import { type Counters, countCodeSessions, readUsage } from "./read-usage.ts";
import { refuseUnpriced } from "./refuse-unpriced.ts";
import { withoutUnsignedThinking } from "./without-unsigned-thinking.ts";

/** Matches a body that may set a cache TTL, including escaped spellings of the name. */
const mayNameTime = /ttl|\\u00[67]/i;

/** Translation for providers that use the Messages API. Sends the caller's bytes with the model name replaced. */
export const nativeMessages: Translation<MessageRequest> = {
  supportedParams: () => [...messageParams],
  buildRequest: buildNativeRequest,
  readAnswer: readNativeAnswer,
  readStream: (call) => new NativeMessagesReader(call),
};

function buildNativeRequest(
  call: TranslatedCall<MessageRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const { body } = call;
  refuseUnpriced(withoutDropped(body.request, dropped), target, "", mayNameTime.test(body.bytes.toString("latin1")));
  if (body.request.extra_body != null)
    refuseUnpriced(body.request.extra_body as Record<string, unknown>, target, "extra_body.");
  const thoughts = withoutUnsignedThinking(body);
  const edits = thoughts === null ? [modelEdit(target)] : [modelEdit(target), thoughts];
  return {
    path: `${target.prepared.path?.prefix ?? "/v1"}/messages`,
    headers: withClientHeaders(requestHeaders(call, target), call, target),
    body: editBytes(body, edits, dropped),
  };
}

function withoutDropped(request: MessageRequest, dropped: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !dropped.has(name)));
}

function readNativeAnswer(call: TranslatedCall<MessageRequest>, text: string): ReadAnswer {
  const answer = parse(text);
  const usage = readUsage(answer.usage, countCodeSessions(answer.content, call));
  const model = findTopLevelString(text, "model");
  if (model === null) return { text, usage };
  return { text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end), usage };
}

interface Answer {
  readonly content: readonly unknown[];
  readonly usage?: Counters | null;
}

function parse(text: string): Answer {
  let answer: unknown;
  try {
    // Only counts are read, so the text needs no UTF-8 decoding.
    answer = JSON.parse(text);
  } catch (error) {
    throw unreadable(error);
  }
  if (!Array.isArray((answer as { readonly content?: unknown } | null)?.content)) throw unreadable();
  return answer as Answer;
}
