import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { Secret } from "@tollgate/domain/secret.ts";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Edge, startEdge } from "./edge.fixture.ts";
import { chatRequest, RawClient } from "./raw-client.fixture.ts";
import { beAtCheckPhase, stall } from "./stall.fixture.ts";

const DRAIN_MS = 120_000;
/** Longer than a client on an idle machine takes from connecting to sending its request. */
const LATE_MS = 800;

/** Shuts down like a gateway process, which drains calls and then closes. */
async function leave(edge: Edge): Promise<void> {
  await edge.http.drain(DRAIN_MS, true);
  await edge.http.close();
}

/** Number of requests that have arrived on the only connection. */
function requestsOf(edge: Edge): number {
  return [...edge.http.connections.all()][0]?.requests ?? 0;
}

describe("a draining process while other processes listen", () => {
  test("serves the first request on an already accepted connection, even if the client sends it late", async () => {
    await using edge = await startEdge({ isClockStopped: true });
    const client = await RawClient.connect(edge.port);
    await waitFor("the connection", () => edge.http.connections.size === 1);
    const left = leave(edge);
    await pause(LATE_MS);
    client.send(chatRequest());
    const { status, headers } = await client.answer(0);
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    await left;
    await client.closed();
    expect(client.errors).toEqual([]);
  });

  test("serves one more request on an idle connection that has not received Connection: close", async () => {
    await using edge = await startEdge({ isClockStopped: true });
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest());
    expect((await client.answer(0)).headers.get("connection")).toBe("keep-alive");
    const left = leave(edge);
    await pause(LATE_MS);
    client.send(chatRequest());
    expect((await client.answer(1)).headers.get("connection")).toBe("close");
    await left;
    expect(client.errors).toEqual([]);
  });

  test("waits at most a few seconds for connections that send nothing", async () => {
    await using edge = await startEdge({ isClockStopped: true });
    const client = await RawClient.connect(edge.port);
    await waitFor("the connection", () => edge.http.connections.size === 1);
    let hasLeft = false;
    const left = leave(edge).then(() => {
      hasLeft = true;
    });
    edge.advance(4_999);
    await pause(LATE_MS);
    expect(hasLeft).toBe(false);
    edge.advance(1);
    await left;
    client.close();
  });

  test("reads bytes that have already arrived before it closes connections, even after an event loop delay", async () => {
    await using edge = await startEdge({ isClockStopped: true });
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(edge.port)));
    await waitFor("the connections", () => edge.http.connections.size === clients.length);
    const left = leave(edge);
    await beAtCheckPhase();
    for (const client of clients) client.send(chatRequest());
    edge.advance(10_000);
    stall(LATE_MS);
    await left;
    for (const client of clients) {
      expect((await client.answer(0)).status).toBe(200);
      expect(client.errors).toEqual([]);
    }
  });

  test("serves a client that is still in its TLS handshake", async () => {
    const authority = new CertificateAuthority();
    onTestFinished(() => authority.close());
    const { certificate, key } = authority.issue("gateway.test");
    await using edge = await startEdge({ tls: { certificate, key: new Secret(key) }, isClockStopped: true });
    const raw = await RawClient.connect(edge.port);
    raw.socket.removeAllListeners("data");
    await waitFor("the connection", () => connectionsBelow(edge.http.server));
    const left = leave(edge);
    // Longer than a closing server waits for any client.
    await pause(2 * LATE_MS);
    const secure = connectTls({ socket: raw.socket, rejectUnauthorized: false, servername: "gateway.test" });
    let text = "";
    secure.on("data", (data: Buffer) => (text += data.toString("latin1")));
    secure.write(chatRequest());
    await waitFor("the answer", () => text.includes("\r\n\r\n"));
    expect(text.split("\r\n")[0]).toBe("HTTP/1.1 200 OK");
    secure.end();
    await left;
  });
});

describe("pipelined requests while a process drains", () => {
  test("all get a response if they arrive together, and the last response closes the connection", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    await waitFor("the connection", () => edge.http.connections.size === 1);
    const left = leave(edge);
    client.send(chatRequest({ callId: "a" }) + chatRequest({ callId: "b" }) + chatRequest({ callId: "c" }));
    await left;
    await client.closed();
    expect(client.answers.map(({ status, headers }) => [status, headers.get("connection")])).toEqual([
      [200, "keep-alive"],
      [200, "keep-alive"],
      [200, "close"],
    ]);
    expect(client.errors).toEqual([]);
  });

  test("all get a response if one of the requests arrived before the drain started", async () => {
    const held = Promise.withResolvers<void>();
    await using edge = await startEdge({ beforeKeyLookup: () => held.promise });
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest());
    await waitFor("the first call", () => edge.http.liveCalls === 1);
    edge.http.announceLeaving();
    const left = leave(edge);
    client.send(chatRequest({ key: "sk-unknown" }));
    await waitFor("the second request", () => requestsOf(edge) === 2);
    held.resolve();
    await left;
    await client.closed();
    expect(client.answers.map(({ status, headers }) => [status, headers.get("connection")])).toEqual([
      [200, "keep-alive"],
      [401, "close"],
    ]);
  });

  test("keep the connection open until all earlier responses are complete", async () => {
    const held = Promise.withResolvers<void>();
    let lookups = 0;
    await using edge = await startEdge({
      beforeKeyLookup: async () => {
        lookups += 1;
        if (lookups === 1) await held.promise;
      },
    });
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest({ callId: "slow" }) + chatRequest({ callId: "quick" }));
    await waitFor("the second request", () => requestsOf(edge) === 2);
    edge.http.announceLeaving();
    held.resolve();
    expect((await client.answer(0)).headers.get("x-gw-call-id")).toBe("slow");
    expect((await client.answer(1)).headers.get("x-gw-call-id")).toBe("quick");
    client.close();
  });
});

test("a client that sends a request during server shutdown gets no connection reset", async () => {
  const edge = await startEdge();
  const client = await RawClient.connect(edge.port, { allowHalfOpen: true });
  client.send(chatRequest());
  expect((await client.answer(0)).status).toBe(200);
  const closed = edge.close();
  client.send(chatRequest());
  await once(client.socket, "end");
  client.send(chatRequest());
  client.socket.end();
  await closed;
  await client.closed();
  expect(client.errors).toEqual([]);
});

function connectionsBelow(server: { getConnections(done: (error: Error | null, count: number) => void): void }) {
  return new Promise<boolean>((resolve) => server.getConnections((_, count) => resolve(count === 1)));
}
