import { toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { expect, test } from "vitest";
import type { ExchangeResponse } from "../call/exchange.ts";
import { failureHeaders, sendPrebuiltFailure } from "./answer-failure.ts";
import { startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatRequest, RawClient } from "./raw-client.fixture.ts";

const context = {
  requestId: "call-1",
  docsUrl: "/docs",
  codeStyle: "semantic",
  mustClose: false,
  hasOrigin: false,
} as const;

function headersOf(failure: Failure): Record<string, string> {
  const list = failureHeaders(failure, context, 10);
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : [])));
}

const limit = {
  kind: "tokens",
  ownerType: "team",
  ownerName: "Search",
  current: 10,
  maximum: 10,
  resetsAt: "2026-11-15T12:00:12.000Z",
} as const;

test("a rate limit error includes the wait time, the limit, and its reset time", () => {
  const facts = { retryAfterMs: 11_201, rateLimit: { type: "tokens", scope: "team" }, limit };
  expect(headersOf(new Failure("rate_limit_exceeded", "No.", facts))).toMatchObject({
    "retry-after": "12",
    "retry-after-ms": "11201",
    "x-gw-rate-limit-type": "tokens",
    "x-gw-rate-limit-scope": "team",
    "x-gw-rate-limit-reset": "2026-11-15T12:00:12.000Z",
  });
});

test("a prebuilt refusal has the same body as any other failure, with the call's ID and link", () => {
  const bodies: string[] = [];
  const response = {
    headersSent: false,
    destroyed: false,
    sendWhole: (_lines: string, body: string) => void bodies.push(body),
  } as unknown as ExchangeResponse;
  const failure = new Failure("overloaded", "This instance is at capacity. Try again shortly.");
  for (const docsUrl of ["https://gate.example/docs", "https://größe.example/docs"]) {
    for (const codeStyle of ["semantic", "status"] as const) {
      for (const requestId of ["call-1", "Run_7.a-b"]) {
        sendPrebuiltFailure(response, failure, { ...context, codeStyle, requestId, docsUrl });
        const body = Buffer.from(bodies.at(-1) ?? "", "latin1").toString("utf8");
        expect(body).toBe(JSON.stringify(toErrorBody(failure, codeStyle, { requestId, docsUrl })));
      }
    }
  }
});

test("Retry-After is at least one second", () => {
  expect(headersOf(new Failure("rate_limit_exceeded", "No.", { retryAfterMs: 6 }))).toMatchObject({
    "retry-after": "1",
    "retry-after-ms": "1000",
  });
});

test("a budget error disables retries and includes no rate limit headers", () => {
  const headers = headersOf(new Failure("budget_exceeded", "No.", { limit: { ...limit, kind: "budget" } }));
  expect(headers["x-should-retry"]).toBe("false");
  expect(Object.keys(headers).filter((name) => /^retry-after|^x-gw-rate-limit/.test(name))).toEqual([]);
});

test.for(["own", "node"])("an error names a deployment with any ID (HTTP parser: %s)", async (parser) => {
  const target = '{ model: openai/gpt-4o, api_base: "http://127.0.0.1:9/v1", api_key: sk-upstream }';
  await using edge = await startEdge({
    yaml: `
general_settings: { http_parser: ${parser} }
model_list: [{ model_name: far, model_info: { id: "Zürich 部署" }, litellm_params: ${target} }]`,
  });
  const client = await RawClient.connect(edge.port);
  client.send(chatRequest({ body: CHAT_BODY.replace("sim/echo", "far") }));
  const { status, headers } = await client.answer(0);
  expect(status).toBe(503);
  expect(decodeURIComponent(headers.get("x-gw-model-id") ?? "")).toBe("Zürich 部署");
  client.close();
});
