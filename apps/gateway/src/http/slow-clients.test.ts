import { chatAnswer, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, test } from "vitest";
import { type Edge, startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatHead, chatRequest, RawClient } from "./raw-client.fixture.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const SWEEP_MS = 1_000;

/** Advances the clock until the condition holds. */
function waitWhileTimePasses(edge: Edge, condition: string, check: () => boolean): Promise<boolean> {
  return waitFor(condition, () => {
    edge.advance(100);
    return check();
  });
}

async function startWithModel(upstream: FakeUpstream): Promise<Edge> {
  const model = `{ model: openai/far, api_base: "${upstream.origin}/v1", api_key: sk-upstream }`;
  return startEdge({ yaml: `model_list: [{ model_name: far, litellm_params: ${model} }]` });
}

async function expectServed(edge: Edge): Promise<void> {
  const client = await RawClient.connect(edge.port);
  client.send(chatRequest());
  expect((await client.answer(0)).status).toBe(200);
  client.close();
}

describe.concurrent("X15: requests that never finish arriving", () => {
  const timeouts = { headersMs: 300, requestMs: 700 };

  test("a head that is not complete in time gets a 408, even if its bytes are still arriving", async () => {
    await using edge = await startEdge({ timeouts });
    const clients = await Promise.all(Array.from({ length: 50 }, () => RawClient.connect(edge.port)));
    for (const client of clients) client.send("POST /v1/chat/completions HTTP/1.1\r\nhost: gateway.test\r\n");
    let line = 0;
    await waitFor("every one of them to be cut", () => {
      line += 1;
      for (const client of clients) if (!client.isClosed) client.send(`x-${line}: y\r\n`);
      return clients.every(({ isClosed }) => isClosed);
    });
    for (const { answers } of clients) expect(answers.map(({ status }) => status)).toEqual([408]);
    await expectServed(edge);
    expect(edge.unexpected).toEqual([]);
  });

  test("a connection that never sends anything is closed", async () => {
    await using edge = await startEdge({ timeouts });
    const client = await RawClient.connect(edge.port);
    await client.closed();
    expect(client.answers.every(({ status }) => status === 408)).toBe(true);
  });

  test("a body that is not complete in time gets one 408, and the connection closes", async () => {
    await using edge = await startEdge({ timeouts });
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ callId: "late", framing: ["content-length: 1000000"] }) + "x".repeat(50_000));
    await client.closed();
    expect(client.answers.map(({ status, headers }) => [status, headers.get("x-gw-call-id")])).toEqual([[408, "late"]]);
    expect(client.unread).toBe("");
    expect(edge.http.liveCalls).toBe(0);
    expect(edge.unexpected).toEqual([]);
  });

  test("a rejected body that never arrives does not get a second response", async () => {
    await using edge = await startEdge({ timeouts });
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ key: "sk-unknown", framing: ["content-length: 1000"] }));
    expect((await client.answer(0)).status).toBe(401);
    await client.closed();
    expect(client.answers).toHaveLength(1);
    expect(client.unread).toBe("");
  });
});

describe.concurrent("X15: slow bodies", () => {
  test("a body slower than 1 KiB/s after the first seconds gets a 408, and the connection closes", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ callId: "slow", framing: ["content-length: 10000"] }) + "x".repeat(1_000));
    await waitFor("the call to begin", () => edge.http.liveCalls === 1);
    edge.advance(6_000);
    await client.closed();
    expect(client.answers.map(({ status, headers }) => [status, headers.get("x-gw-call-id")])).toEqual([[408, "slow"]]);
    expect(client.answers[0]?.headers.get("connection")).toBe("close");
    expect(edge.records).toEqual([]);
    expect(edge.http.liveCalls).toBe(0);
  });

  test("a body is accepted if it arrives in the first seconds or at the minimum rate", async () => {
    await using edge = await startEdge();
    const body = `${CHAT_BODY.slice(0, -1)},"user":"${"x".repeat(20_000)}"}`;
    const early = await RawClient.connect(edge.port);
    const steady = await RawClient.connect(edge.port);
    early.send(chatHead({ body }));
    steady.send(chatHead({ body }) + body.slice(0, 12_000));
    await waitFor("the calls to begin", () => edge.http.liveCalls === 2);
    edge.advance(4_000);
    await waitForSweep();
    expect(early.answers).toEqual([]);
    early.send(body);
    expect((await early.answer(0)).status).toBe(200);
    edge.advance(4_000);
    await waitForSweep();
    expect(steady.answers).toEqual([]);
    steady.send(body.slice(12_000));
    expect((await steady.answer(0)).status).toBe(200);
    early.close();
    steady.close();
  });
});

describe.concurrent("X15: idle connections", () => {
  test("a connection closes after its idle timeout, but not during a response", async () => {
    const held = Promise.withResolvers<void>();
    let lookups = 0;
    await using edge = await startEdge({
      beforeKeyLookup: async () => {
        lookups += 1;
        if (lookups > 1) await held.promise;
      },
      rest: (_request, response) => {
        void held.promise.then(() => response.writeHead(200, { "content-length": "0" }).end());
      },
    });
    const [idle, busy, other] = await Promise.all([1, 2, 3].map(() => RawClient.connect(edge.port)));
    if (idle === undefined || busy === undefined || other === undefined) throw new Error("three connections");
    idle.send(chatRequest());
    await idle.answer(0);
    busy.send(chatRequest());
    other.send("GET /elsewhere HTTP/1.1\r\nhost: gateway.test\r\n\r\n");
    await waitFor("both to begin", () => edge.http.liveCalls === 1 && edge.restTargets.length === 1);
    edge.advance(74_000);
    await waitForSweep();
    expect([idle.isClosed, busy.isClosed, other.isClosed]).toEqual([false, false, false]);
    edge.advance(2_000);
    await idle.closed();
    edge.advance(100_000);
    await waitForSweep();
    expect([busy.isClosed, other.isClosed]).toEqual([false, false]);
    held.resolve();
    expect((await other.answer(0)).status).toBe(200);
    expect((await busy.answer(0)).status).toBe(200);
    await waitForSweep();
    expect([busy.isClosed, other.isClosed]).toEqual([false, false]);
    edge.advance(76_000);
    await Promise.all([busy.closed(), other.closed()]);
    expect(edge.http.connections.size).toBe(0);
  });

  test("the server disconnects a client that stays connected after its last response", async () => {
    await using edge = await startEdge();
    const refused = await RawClient.connect(edge.port, { allowHalfOpen: true });
    const unparsable = await RawClient.connect(edge.port, { allowHalfOpen: true });
    refused.send(chatHead({ key: "sk-unknown", framing: ["transfer-encoding: chunked"] }));
    unparsable.send("not HTTP\r\n\r\n");
    expect((await refused.answer(0)).status).toBe(401);
    expect((await unparsable.answer(0)).status).toBe(400);
    expect(edge.http.connections.size).toBe(2);
    for (const client of [refused, unparsable]) client.send(chatRequest());
    // Far less than the idle timeout of a connection.
    edge.advance(3_000);
    await waitFor("both to be cut", () => edge.http.connections.size === 0);
    expect([refused.answers.length, unparsable.answers.length]).toEqual([1, 1]);
    expect(edge.records).toEqual([]);
  });

  test("the number of connections per IP address is limited, except for localhost", async () => {
    await using edge = await startEdge({ connectionsPerAddress: 4 });
    const from = (localAddress: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => RawClient.connect(edge.port, { localAddress })));
    const first = await from("127.0.0.2", 4);
    const [fifth] = await from("127.0.0.2", 1);
    await fifth?.closed();
    expect(fifth?.answers).toEqual([]);
    expect(first.some(({ isClosed }) => isClosed)).toBe(false);
    const others = [...(await from("127.0.0.3", 4)), ...(await from("127.0.0.1", 10))];
    for (const client of [...first, ...others]) {
      client.send(chatRequest());
      expect((await client.answer(0)).status).toBe(200);
    }
    first[0]?.close();
    await waitFor("the place to be free", () => edge.http.connections.size === 17);
    const [again] = await from("127.0.0.2", 1);
    again?.send(chatRequest());
    expect((await again?.answer(0))?.status).toBe(200);
    for (const client of [...first, ...others, again]) client?.close();
  });
});

describe("X15: clients that stop reading", () => {
  const streamed = '{"model":"far","stream":true,"messages":[{"role":"user","content":"x"}]}';
  const frame = sseFrame({
    id: "c",
    object: "chat.completion.chunk",
    model: "far",
    choices: [delta("y".repeat(1_000))],
  });

  test("an unread stream pauses its upstream, keeps its buffer small, and is closed when the client stalls", async () => {
    await using upstream = await startFakeUpstream();
    let written = 0;
    upstream.behaves(async ({ response, gone }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (!gone.aborted && written < 64 * MIB) {
        written += frame.length;
        if (!response.write(frame)) await drained(response, gone);
      }
    });
    await using edge = await startWithModel(upstream);
    const sockets = () => [...edge.http.connections.all()].map(({ socket }) => socket);
    const client = await RawClient.connect(edge.port);
    client.socket.pause();
    client.send(chatRequest({ callId: "unread", body: streamed }));
    await waitForStandstill(() => written);
    expect(written).toBeGreaterThan(64 * KIB);
    expect(written).toBeLessThan(32 * MIB);
    expect(sockets()[0]?.writableLength).toBeLessThan(256 * KIB);
    expect(edge.records).toEqual([]);
    await expectServed(edge);
    await waitWhileTimePasses(edge, "the stream to be cut", () => edge.http.liveCalls === 0);
    const records = edge.records.filter(({ callId }) => callId === "unread");
    expect(records.map(({ status }) => status)).toEqual(["client_disconnect"]);
    expect(records[0]?.usage.outputTokens).toBeGreaterThan(0);
    expect((await upstream.ended(0)).end?.kind).toBe("aborted");
    expect(edge.unexpected).toEqual([]);
    client.close();
  });

  test("a client that pauses and resumes reading gets every byte", async () => {
    await using upstream = await startFakeUpstream();
    const count = 10_000;
    upstream.streams([...Array.from({ length: count }, () => frame), "data: [DONE]\n\n"]);
    await using edge = await startWithModel(upstream);
    const sockets = () => [...edge.http.connections.all()].map(({ socket }) => socket);
    const client = await RawClient.connect(edge.port);
    client.socket.pause();
    client.send(chatRequest({ body: streamed }));
    await waitFor("the client's side to be full", () => (sockets()[0]?.writableLength ?? 0) > 0);
    await waitForStandstill(() => sockets()[0]?.bytesWritten ?? 0);
    client.socket.resume();
    const answer = await client.answer(0);
    expect(answer.body.split("\n\n")).toHaveLength(count + 2);
    expect(answer.body.endsWith("data: [DONE]\n\n")).toBe(true);
    client.close();
  });

  test("the connection is closed when the client stalls before reading a non-streamed response", async () => {
    await using upstream = await startFakeUpstream();
    upstream.replies(200, chatAnswer({ content: "z".repeat(24 * MIB) }));
    await using edge = await startWithModel(upstream);
    const client = await RawClient.connect(edge.port);
    client.socket.pause();
    client.send(chatRequest({ body: '{"model":"far","messages":[{"role":"user","content":"x"}]}' }));
    await waitFor("the answer to be on its way", () => edge.records.length === 1);
    await waitForSweep();
    expect(edge.http.connections.size).toBe(1);
    await waitWhileTimePasses(edge, "the connection to be cut", () => edge.http.connections.size === 0);
    client.close();
  });
});

/** Resolves after the server's next sweep over all connections. */
async function waitForSweep(): Promise<void> {
  const startedAtMs = performance.now();
  await waitFor("a sweep", () => performance.now() - startedAtMs > SWEEP_MS + 100);
}

/** Resolves when the number has grown and then stayed constant for a while. */
async function waitForStandstill(read: () => number): Promise<void> {
  let last = -1;
  let sinceMs = performance.now();
  await waitFor("a standstill", () => {
    const value = read();
    if (value !== last) sinceMs = performance.now();
    last = value;
    return performance.now() - sinceMs > 200;
  });
}

async function drained(response: NodeJS.WritableStream, gone: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once("drain", resolve);
  gone.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}

function delta(content: string) {
  return { index: 0, delta: { content }, finish_reason: null };
}
