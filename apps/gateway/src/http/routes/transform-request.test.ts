import { RawRequestTypedDict } from "@tollgate/contracts/utilities/transform-request.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { describe, expect } from "vitest";
import type { TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

const isRaw = compileCheck(RawRequestTypedDict);
const messages = [{ role: "user", content: "héllo" }];

async function transform(gateway: TestGateway, body: unknown, headers = {}): Promise<RawRequestTypedDict> {
  const answer = await gateway.post("/utils/transform_request", body, headers);
  const raw = (await answer.json()) as RawRequestTypedDict;
  expect(answer.status, JSON.stringify(raw)).toBe(200);
  expect(isRaw(raw)).toBe(true);
  return raw;
}

describe("the returned request", () => {
  test("matches the upstream request byte for byte, and is not sent upstream", async ({ gateway, upstreams }) => {
    const inner = `{"model":"alpha","messages":[{"role":"user","content":"héllo"}],"seed":12345678901234567,"temperature":1.0e0,"tags":["a"],"stream":true}`;
    const answer = await gateway.post("/utils/transform_request", `{"call_type":"completion","request_body":${inner}}`);
    const shown = await answer.text();
    expect(upstreams.alpha.requests).toEqual([]);
    upstreams.alpha.replies(200, chatAnswer());
    await gateway.post("/v1/chat/completions", inner);
    const sent = await upstreams.alpha.request(0);
    expect(shown).toContain(`"raw_request_body":${sent.body.toString("utf8")},`);
    const { raw_request_headers: headers, raw_request_api_base: address } = JSON.parse(shown);
    expect(address).toBe(`${upstreams.alpha.origin}/v1/chat/completions`);
    expect(headers).toMatchObject({ "content-type": "application/json", authorization: "Bearer sk-u****" });
    expect(sent.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(shown).not.toContain(UPSTREAM_KEY);
  });

  test("is available for every operation that the model supports, under both names of the operation's call type", async ({
    gateway,
  }) => {
    const bodies: Record<string, object> = {
      completion: { messages },
      text_completion: { prompt: "hi" },
      embedding: { input: "hi" },
      moderation: { input: "hi" },
      speech: { input: "hi", voice: "alloy" },
      transcription: { language: "en" },
      image_generation: { prompt: "a cat" },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const request = { call_type: name, request_body: { model: "fake/any", ...body } };
      const raw = await transform(gateway, request);
      if (raw.error !== null) expect(raw.error, name).toContain("does not support");
      else expect(raw.raw_request_body, name).toMatchObject({ model: "any" });
      const other = await transform(gateway, { ...request, call_type: `a${name}` });
      expect(other.raw_request_body ?? other.error, name).toEqual(raw.raw_request_body ?? raw.error);
    }
  });

  test("contains the upstream URL only for administrators", async ({ start, database }) => {
    const { apiKey } = await addTenant(database.connect("tollgate_platform"));
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    const request = { call_type: "completion", request_body: { model: "alpha", messages } };
    const raw = await transform(gateway, request, { "x-gw-api-key": apiKey });
    expect(raw).toMatchObject({ raw_request_api_base: null, raw_request_body: { model: "upstream-1" }, error: null });
  });
});

test("returns only the error message if the request cannot be transformed", async ({ gateway }) => {
  const nothing = { raw_request_api_base: null, raw_request_body: null, raw_request_headers: null };
  const reranked = { call_type: "rerank", request_body: { model: "alpha", query: "q", documents: ["d"] } };
  expect(await transform(gateway, reranked)).toEqual({
    ...nothing,
    error: expect.stringContaining("does not support"),
  });
  const tiered = { model: "alpha", messages, service_tier: "flex" };
  expect(await transform(gateway, { call_type: "completion", request_body: tiered })).toEqual({
    ...nothing,
    error: expect.stringContaining("service tier"),
  });
});

describe("a transformation is rejected", () => {
  const refusals: readonly [string, object, number, string, string?][] = [
    ["for an unknown call type", { call_type: "guess", request_body: {} }, 422, "validation_error", "call_type"],
    ["without a body to transform", { call_type: "completion" }, 422, "validation_error", "request_body"],
    [
      "for a body that its operation would reject, with the location in the body",
      { call_type: "completion", request_body: { model: "alpha", messages: [{ content: "hi" }] } },
      422,
      "validation_error",
      "request_body.messages.0.role",
    ],
    [
      "for fields that would change the target of the call",
      { call_type: "completion", request_body: { model: "alpha", messages, api_base: "http://x.example" } },
      400,
      "client_side_credentials_not_allowed",
      "api_base",
    ],
    [
      "for an unknown model",
      { call_type: "completion", request_body: { model: "nope", messages } },
      404,
      "model_not_found",
    ],
  ];
  for (const [name, body, status, code, param] of refusals) {
    test(name, async ({ gateway }) => {
      const answer = await gateway.post("/utils/transform_request", body);
      expect(answer.status).toBe(status);
      expect(await errorOf(answer)).toMatchObject({ code, ...(param && { param }) });
    });
  }
});
