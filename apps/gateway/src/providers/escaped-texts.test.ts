import { expect, test } from "vitest";
import type { OperationKind } from "../call/operation-kind.ts";
import type { Provider, TranslatedCall, Translation } from "../call/provider.ts";
import { chat } from "../operations/chat/chat.ts";
import { completions } from "../operations/completions/completions.ts";
import { messages } from "../operations/messages/messages.ts";
import { responses } from "../operations/responses/responses.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { providers } from "./registry.ts";
import { vertexMessages } from "./vertex/vertex-anthropic.ts";

/** The low byte of the first character is a quote, so that as bytes, the text would end and other members would follow. */
const TEXT = 'Ģ},Ģservice_tierĢ:ĢpriorityĢ,ĢyĢ:{ĢzĢ:Ģ é € "';
/** The text as JSON, in escapes, as many clients write it. */
const ESCAPED = JSON.stringify(TEXT).replaceAll(
  /[^\x20-\x7e]/g,
  (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
);

const openai = providers.get("openai") as Provider;
const said = `"messages":[{"role":"user","content":${ESCAPED}}]`;

test.for([
  [
    "stream options of a chat",
    chat,
    openai.translations["chat.completions"],
    `${said},"stream":true,"stream_options":{"x":${ESCAPED}}`,
  ],
  [
    "stream options of a completion",
    completions,
    openai.translations.completions,
    `"prompt":"a","max_tokens":1,"stream":true,"stream_options":{"x":${ESCAPED}}`,
  ],
  ["included parts of a response", responses, openai.translations.responses, `"input":"a","include":[${ESCAPED}]`],
  ["messages on Vertex AI", messages, vertexMessages, `${said},"max_tokens":1`],
] as const)("an upstream reads escaped text as the gateway does: %s", ([, kind, translation, fields]) => {
  const text = `{"model":"group",${fields}}`;
  const { body, model, operation, answerForm, isStream } = makeChatCall({
    text,
    kind: kind as unknown as OperationKind,
  });
  const call: TranslatedCall = {
    ...{ body, model, operation, answerForm, isStream, wantsUsage: false, hops: 0, outputLimit: null },
    exchange: { headers: { anthropicVersion: null, anthropicBeta: null } },
    conversation: { id: "resp_1", previousId: null, isKept: true },
  };
  const settings = { upstreamModel: "o3", apiKey: null, apiVersion: null, options: {} };
  const target = { ...settings, prepared: openai.prepare(settings) };
  const request = (translation as Translation).buildRequest(call, target, new Set());
  const sent = JSON.parse((request.body as Buffer).toString("utf8")) as Record<string, unknown>;
  const asked = JSON.parse(text) as Record<string, unknown>;
  for (const name in asked) {
    if (name === "stream_options") expect(sent[name]).toEqual({ x: TEXT, include_usage: true });
    else if (name === "include") expect(sent[name]).toEqual([TEXT, "reasoning.encrypted_content"]);
    else if (name !== "model") expect(sent[name]).toEqual(asked[name]);
  }
  expect(sent).not.toHaveProperty("service_tier");
});
