import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Edge, startEdge } from "./edge.fixture.ts";
import { type FramingCase, framingCorpus } from "./framing-corpus.fixture.ts";
import { CHAT_BODY, chatHead, chatRequest, RawClient } from "./raw-client.fixture.ts";

const isErrorResponse = compileCheck(ErrorResponse);
const corpus = framingCorpus();

/** Ways to split the payload and the canary request into network writes. */
const deliveries = ["in one write", "cut in the middle", "cut before its end"] as const;

describe("X10: requests that two chained servers could frame differently", () => {
  let edge: Edge;
  let nextCanary = 0;

  beforeAll(async () => {
    edge = await startEdge();
  });
  afterAll(async () => {
    await edge.close();
  });

  test("are covered by at least 150 distinct cases", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(150);
    expect(new Set(corpus.map(({ bytes }) => bytes)).size).toBe(corpus.length);
  });

  describe.each(deliveries)("%s", (delivery) => {
    test.concurrent.each(corpus)("$name is $outcome", async ({ bytes, outcome }) => {
      nextCanary += 1;
      const canaryId = `canary-${nextCanary}`;
      const client = await RawClient.connect(edge.port);
      await deliver(client, bytes, chatRequest({ callId: canaryId }), delivery);
      if (outcome === "accepted") await expectBothAnswered(client, canaryId);
      else await expectClosed(client, outcome);
      await waitFor("calls to end", () => edge.http.liveCalls === 0);
      const runs = edge.records.filter(({ callId }) => callId === canaryId).length;
      expect(runs).toBe(outcome === "accepted" ? 1 : 0);
      client.close();
    });
  });

  test("leave no connection open if the client disconnects before the rejection", async () => {
    await Promise.all(
      corpus.map(async ({ bytes }) => {
        const client = await RawClient.connect(edge.port);
        await client.sendApart(bytes);
        client.reset();
      }),
    );
    await waitFor("the server to let go of all", () => edge.http.connections.size === 0);
  });

  test("are refused if the client ends the connection before the end of the body", async () => {
    const client = await RawClient.connect(edge.port, { allowHalfOpen: true });
    await client.sendApart(chatHead());
    await client.sendApart(CHAT_BODY.slice(0, 10));
    client.socket.end();
    await expectClosed(client, "refused");
    expect(client.answers.map(({ status }) => status)).toEqual([400]);
    client.close();
  });

  test("are answered if the client ends the connection in the middle of the next request", async () => {
    const lookup = Promise.withResolvers<void>();
    await using held = await startEdge({ beforeKeyLookup: () => lookup.promise });
    const client = await RawClient.connect(held.port, { allowHalfOpen: true });
    await client.sendApart(chatRequest() + chatHead().slice(0, 40));
    client.socket.end();
    await waitFor("the end to arrive", () => [...held.http.connections.all()][0]?.socket.readableEnded === true);
    lookup.resolve();
    await expectClosed(client, "last");
    expect(client.answers.map(({ status }) => status)).toEqual([200]);
    client.close();
  });

  test("cause no unexpected error", () => {
    expect(edge.unexpected).toEqual([]);
    expect(edge.http.liveCalls).toBe(0);
  });
});

async function deliver(
  client: RawClient,
  payload: string,
  canary: string,
  delivery: (typeof deliveries)[number],
): Promise<void> {
  if (delivery === "in one write") return client.send(payload + canary);
  const cut = delivery === "cut in the middle" ? Math.floor(payload.length / 2) : payload.length - 1;
  await client.sendApart(payload.slice(0, cut));
  client.send(payload.slice(cut) + canary);
}

/** Expects two responses: the payload's and the canary's. */
async function expectBothAnswered(client: RawClient, canaryId: string): Promise<void> {
  const canary = await client.answer(1);
  expect(canary.status).toBe(200);
  expect(canary.headers.get("x-gw-call-id")).toBe(canaryId);
  expect(client.answers).toHaveLength(2);
  expect(client.unread).toBe("");
  expect(client.isClosed).toBe(false);
}

/** Expects at most one response and no bytes after it. */
async function expectClosed(client: RawClient, outcome: FramingCase["outcome"]): Promise<void> {
  await client.closed();
  expect(client.unread).toBe("");
  const [answer] = client.answers;
  expect(client.answers.length).toBeLessThanOrEqual(1);
  if (outcome === "last") return expect(answer?.status).toBeLessThan(500);
  if (answer === undefined) return;
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get("connection")).toBe("close");
  expect(answer.headers.get("x-gw-error-name")).toBeTruthy();
  expect(answer.headers.get("x-gw-call-id")).toBeTruthy();
  expect(isErrorResponse(JSON.parse(answer.body))).toBe(true);
}
