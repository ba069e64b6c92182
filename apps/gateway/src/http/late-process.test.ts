import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, test } from "vitest";
import { startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatHead, chatRequest, RawClient } from "./raw-client.fixture.ts";
import { beAtCheckPhase, stall } from "./stall.fixture.ts";

/** Interval at which the server checks for slow clients. */
const SWEEP_MS = 1_000;

test("a request that arrives during an event loop delay is served, not rejected as slow", async () => {
  await using edge = await startEdge({ timeouts: { headersMs: 300, requestMs: 700 } });
  const client = await RawClient.connect(edge.port);
  await waitFor("the connection", () => edge.http.connections.size === 1);
  await beAtCheckPhase();
  client.send(chatRequest());
  stall(SWEEP_MS + 500);
  expect((await client.answer(0)).status).toBe(200);
  client.close();
});

test("a body that arrives during an event loop delay is not rejected as slow", async () => {
  await using edge = await startEdge();
  const client = await RawClient.connect(edge.port);
  client.send(chatHead());
  await waitFor("the call to begin", () => edge.http.liveCalls === 1);
  await beAtCheckPhase();
  client.send(CHAT_BODY);
  edge.advance(6_000);
  stall(SWEEP_MS + 500);
  expect((await client.answer(0)).status).toBe(200);
  client.close();
});

test("a head that is still incomplete after an event loop delay is rejected", async () => {
  await using edge = await startEdge({ timeouts: { headersMs: 300, requestMs: 700 } });
  const client = await RawClient.connect(edge.port);
  await waitFor("the connection", () => edge.http.connections.size === 1);
  await beAtCheckPhase();
  client.send("POST /v1/chat/completions HTTP/1.1\r\nhost: gateway.test\r\n");
  stall(SWEEP_MS + 500);
  await client.closed();
  expect(client.answers.map(({ status }) => status)).toEqual([408]);
});
