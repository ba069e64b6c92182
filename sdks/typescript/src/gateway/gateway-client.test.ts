import { expect, test } from "vitest";
import { ApiError, CreditError } from "../http/api-error.ts";
import { answer, startTestServer, stream } from "../http/test-server.fixture.ts";
import { GatewayClient } from "./gateway-client.ts";

const facts = {
  "x-gw-call-id": "call_1",
  "x-gw-response-cost-nano-usd": "9007199254740993",
  "x-gw-response-duration-ms": "12.5",
  "x-gw-overhead-duration-ms": "0.4",
};
const question = { model: "sim/echo", messages: [{ role: "user", content: "hi" }] } as const;
const chunk = (text: string) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;

test("a response includes its exact cost, and the key is sent in the configured header", async () => {
  const server = await startTestServer(answer(200, { id: "chatcmpl-1", choices: [] }, facts));
  const reported = await new GatewayClient({ baseUrl: `${server.url}/v1/`, apiKey: "sk-1" }).chat(question);
  expect(reported.data.id).toBe("chatcmpl-1");
  expect(reported.facts).toMatchObject({
    callId: "call_1",
    costNanoUsd: 9_007_199_254_740_993n,
    durationMs: 12.5,
    overheadMs: 0.4,
  });
  await new GatewayClient({ baseUrl: server.url, apiKey: () => "sk-2", keyHeader: "authorization" }).listModels();
  expect(server.seen).toMatchObject([
    { url: "/v1/chat/completions", headers: { "x-gw-api-key": "sk-1" } },
    { url: "/v1/models", headers: { authorization: "Bearer sk-2" } },
  ]);
});

test("a stream yields its chunks up to the end marker, and an incomplete stream is an error", async () => {
  const server = await startTestServer(
    stream([chunk("a"), ": keep-alive\n\n", chunk("b"), "data: [DONE]\n\n"], facts),
    stream([chunk("a")]),
    stream([
      chunk("a"),
      'data: {"error":{"message":"The model failed.","type":"server_error","code":"upstream_failed"}}\n\n',
    ]),
  );
  const client = new GatewayClient({ baseUrl: server.url, apiKey: "sk-1" });
  const whole = await client.chatStream(question);
  expect(whole.facts.callId).toBe("call_1");
  expect(await Array.fromAsync(whole)).toHaveLength(2);
  expect(JSON.parse(server.seen[0]?.body ?? "")).toMatchObject({ stream: true });
  await expect(Array.fromAsync(await client.chatStream(question))).rejects.toMatchObject({ code: "incomplete_stream" });
  const failed = await Array.fromAsync(await client.chatStream(question)).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ApiError);
  expect(failed).toMatchObject({ message: "The model failed.", code: "upstream_failed", retryable: true });
});

test("a refusal contains the limit, the fix, and the docs URL, and exhausted credit is not retryable", async () => {
  const limit = {
    kind: "credit",
    owner_type: "organization",
    owner_name: "Acme",
    current: "0",
    maximum: "5",
    resets_at: null,
  };
  const error = {
    message: "No credit left.",
    type: "insufficient_quota",
    code: "QUOTA_EXCEEDED",
    limit,
    fix: "Buy credits.",
    doc_url: "/docs/errors/quota",
    request_id: "call_9",
  };
  const server = await startTestServer(answer(429, { error }));
  const refused = await new GatewayClient({ baseUrl: server.url, apiKey: "sk-1" })
    .listModels()
    .catch((one: unknown) => one);
  expect(refused).toBeInstanceOf(CreditError);
  expect(refused).toMatchObject({
    code: "QUOTA_EXCEEDED",
    fix: "Buy credits.",
    docUrl: `${server.url}/docs/errors/quota`,
    requestId: "call_9",
    retryable: false,
    limit: { ownerName: "Acme", ownerType: "organization", resetsAt: null },
  });
  expect(server.seen).toHaveLength(1);
});

test("audio is sent as a form and received as bytes, and a cost quote's amounts are exact", async () => {
  const server = await startTestServer(
    (response) => void response.writeHead(200, { "content-type": "audio/mpeg" }).end(Buffer.from([1, 2, 3])),
    (response) => void response.writeHead(200, { "content-type": "text/plain" }).end("said"),
    answer(200, { model: "m", expected_nano_usd: 12, worst_case_nano_usd: 40, hold_nano_usd: 40, admitted: true }),
  );
  const client = new GatewayClient({ baseUrl: server.url, apiKey: "sk-1" });
  expect((await client.speak({ model: "m", input: "hi", voice: "alloy" })).data).toEqual(Uint8Array.of(1, 2, 3));
  const form = { model: "m", file: new Blob(["sound"]), filename: "a.wav", timestamp_granularities: ["word"] } as const;
  expect((await client.transcribe(form)).data.text).toBe("said");
  expect(server.seen[1]?.body).toMatch(/name="file"; filename="a.wav"[\s\S]*name="timestamp_granularities\[\]"/);
  expect((await client.quoteCost(question)).data.worst_case_nano_usd).toBe(40n);
});
