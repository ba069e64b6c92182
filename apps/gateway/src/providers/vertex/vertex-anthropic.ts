import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import type {
  TokenCounting,
  TranslatedCall,
  Translation,
  UpstreamRequest,
  UpstreamTarget,
} from "../../call/provider.ts";
import { anthropic } from "../anthropic/anthropic.ts";
import { buildMessagesBody } from "../anthropic/build-request.ts";
import { messagesTokenCounting, toCountBody } from "../anthropic/count-tokens.ts";
import { traitsOf } from "../anthropic/model-traits.ts";
import { nativeMessages } from "../anthropic/native-messages.ts";
import { readMessagesAnswer } from "../anthropic/read-answer.ts";
import { MessagesStreamReader } from "../anthropic/stream-reader.ts";
import { requestHeaders } from "../build-request.ts";

/** The API version on Vertex AI, which is sent in the body. */
const VERSION = "vertex-2023-10-16";

/** Chat completions with Anthropic models on Vertex AI. */
export const vertexAnthropicChat: Translation<ChatRequest> = {
  supportedParams: (upstreamModel) => anthropic.translations["chat.completions"]?.supportedParams(upstreamModel) ?? [],
  buildRequest,
  readAnswer: readMessagesAnswer,
  readStream: (call) => new MessagesStreamReader(call),
  readsCacheMarks: true,
};

/** Messages calls with the caller's body. The model is moved to the path, and the API version is added to the body. */
export const vertexMessages: Translation<MessageRequest> = {
  ...nativeMessages,
  buildRequest: (call, target, dropped) => {
    const request = nativeMessages.buildRequest(call, target, dropped);
    const { model: _, ...body } = JSON.parse((request.body as Buffer).toString("utf8")) as Record<string, unknown>;
    return {
      ...request,
      path: anthropicPath(target, target.upstreamModel, methodOf(call)),
      body: Buffer.from(JSON.stringify({ ...body, anthropic_version: VERSION }), "utf8"),
    };
  },
};

/** Token counting by the provider, which has one endpoint for all models. */
export const vertexAnthropicTokenCounting: TokenCounting = {
  buildRequest: (body, target) => ({
    path: anthropicPath(target, "count-tokens", "rawPredict"),
    headers: target.prepared.headers,
    body: Buffer.from(JSON.stringify({ ...toCountBody(body, target), anthropic_version: VERSION }), "utf8"),
  }),
  readCount: messagesTokenCounting.readCount,
};

function buildRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  // Vertex AI can't constrain output to a schema.
  const traits = { ...traitsOf(target.upstreamModel), writesBySchema: false };
  const { model: _, ...body } = buildMessagesBody(call, target, dropped, traits);
  return {
    path: anthropicPath(target, target.upstreamModel, methodOf(call)),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify({ ...body, anthropic_version: VERSION }), "utf8"),
  };
}

function methodOf({ isStream }: TranslatedCall): string {
  return isStream ? "streamRawPredict" : "rawPredict";
}

function anthropicPath({ prepared }: UpstreamTarget, model: string, method: string): string {
  const name = encodeURIComponent(model.replace(/^anthropic\//, ""));
  return `${prepared.path?.prefix ?? ""}/publishers/anthropic/models/${name}:${method}`;
}
