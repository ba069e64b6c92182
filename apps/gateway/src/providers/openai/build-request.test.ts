import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import { inStage } from "../../call/call.ts";
import { type ChatCallOptions, makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { bearer, buildChatRequest, prepareTarget } from "../build-request.ts";

const plain = { limitParam: "max_tokens", asksForUsage: true, fit: null } as const;
const targetWith = (apiKey: Secret | null) => ({
  prepared: prepareTarget("upstream-1", apiKey, bearer),
  upstreamModel: "upstream-1",
  apiKey,
  apiVersion: null,
  options: {},
});
const target = targetWith(new Secret("sk-upstream"));

function build(options: ChatCallOptions & { readonly outputLimit?: number }) {
  const call = makeChatCall(options);
  inStage(call, "opened").outputLimit = options.outputLimit ?? null;
  const request = buildChatRequest(call, target, new Set(options.dropped), plain);
  const pairs = request.headers.flatMap((name, index) => (index % 2 === 0 ? [[name, request.headers[index + 1]]] : []));
  return { ...request, json: JSON.parse(request.body.toString("utf8")), headers: Object.fromEntries(pairs) };
}

describe("OpenAI chat request", () => {
  test("contains the caller's bytes except for the model name", () => {
    const text = '{ "messages":[{"role":"user","content":"\\u00e9é😀"}],"model": "group", "seed": 1.0 }';
    expect(build({ text }).body.toString("utf8")).toBe(text.replace(' "group"', '"upstream-1"'));
  });

  test("contains the model name even if the caller's body has no model", () => {
    expect(build({ text: '{"messages":[]}' }).json).toEqual({ messages: [], model: "upstream-1" });
  });

  test("contains the gateway's output limit if the caller sets no limit", () => {
    expect(build({ text: '{"messages":[]}', outputLimit: 400 }).json).toMatchObject({ max_tokens: 400 });
    expect(build({ text: '{"messages":[],"max_tokens":null}', outputLimit: 400 }).json).toMatchObject({
      max_tokens: 400,
    });
  });

  test("omits dropped fields", () => {
    const text = '{"model":"group","messages":[],"tags":["a"],"metadata":{}}';
    expect(build({ text, dropped: ["tags", "metadata"] }).json).toEqual({ model: "upstream-1", messages: [] });
  });

  test.for([
    ["", { include_usage: true }],
    [',"stream_options":null', { include_usage: true }],
    [',"stream_options":{"include_usage":false}', { include_usage: true }],
    [',"stream_options":{"include_obfuscation":false}', { include_usage: true, include_obfuscation: false }],
    [',"stream_options":{"include_usage":true}', { include_usage: true }],
  ] as const)("requests usage for every stream, because billing needs it: %s", ([field, options]) => {
    const { json } = build({ text: `{"model":"group","messages":[],"stream":true${field}}` });
    expect(json.stream_options).toEqual(options);
  });

  test("requests usage even if stream_options is dropped", () => {
    const text = '{"model":"group","messages":[],"stream":true,"stream_options":{"include_usage":true}}';
    expect(build({ text, dropped: ["stream_options"] }).json.stream_options).toEqual({ include_usage: true });
  });

  test("doesn't request stream usage if it isn't streamed", () => {
    expect(build({ text: '{"model":"group","messages":[],"stream":false}' }).json).not.toHaveProperty("stream_options");
  });

  test("contains the deployment's credential and an incremented hop count, and requests no compression", () => {
    const { headers } = build({ hops: "2", extraHeaders: ["x-team", "blue"] });
    expect(headers).toEqual({
      "content-type": "application/json",
      "accept-encoding": "identity",
      "x-gw-hops": "3",
      "x-team": "blue",
      authorization: "Bearer sk-upstream",
    });
    expect(build({ text: '{"messages":[],"stream":true}' }).headers.accept).toBe("text/event-stream");
  });

  test("contains no credential if the deployment has no credential", () => {
    const request = buildChatRequest(makeChatCall(), targetWith(null), new Set(), plain);
    expect(request.headers).not.toContain("authorization");
  });
});
