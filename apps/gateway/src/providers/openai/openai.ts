import { openaiChatFields } from "@tollgate/contracts/chat/chat-request.ts";
import type { Provider } from "../provider.ts";
import { type AuthHeader, bearer, buildChatRequest, prepareTarget } from "./build-request.ts";
import { readChatAnswer } from "./read-answer.ts";
import { readOpenAiFailure } from "./read-failure.ts";
import { OpenAiStreamReader } from "./stream-reader.ts";

const everyParam = Object.freeze([...Object.keys(openaiChatFields), "thinking"]);

/** What tells one upstream of this wire from another. */
interface OpenAiWire {
  readonly name: string;
  readonly apiBase: string | null;
  readonly keyVariable: string | null;
  readonly auth?: AuthHeader;
  /** `max_tokens` unless its models only know the newer name. */
  readonly outputLimitParam?: Provider["outputLimitParam"];
}

/** A provider that speaks the OpenAI wire. Adding one is a row in `registry.ts` and a recorded fixture. */
export function openAiWire(wire: OpenAiWire): Provider {
  const auth = wire.auth ?? bearer;
  const outputLimitParam = wire.outputLimitParam ?? "max_tokens";
  return {
    name: wire.name,
    defaultApiBase: wire.apiBase,
    apiKeyVariable: wire.keyVariable,
    supportedParams: () => everyParam,
    prepare: (upstreamModel, apiKey) => prepareTarget(upstreamModel, apiKey, auth),
    outputLimitParam,
    buildRequest: (call, target, dropped) => buildChatRequest(call, target, dropped, outputLimitParam),
    readAnswer: readChatAnswer,
    readStream: (call) => new OpenAiStreamReader(call),
    readFailure: readOpenAiFailure,
  };
}
