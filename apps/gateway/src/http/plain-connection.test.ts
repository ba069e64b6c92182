import { once } from "node:events";
import { connect } from "node:tls";
import { Secret } from "@tollgate/domain/secret.ts";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection } from "./connections.ts";
import { type Edge, startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatHead, chatRequest, RawClient } from "./raw-client.fixture.ts";

const only = (edge: Edge): Connection => [...edge.http.connections.all()][0] as Connection;
const isPlain = (edge: Edge): boolean => only(edge).plain !== null;

describe("a connection that the gateway reads itself", () => {
  test("stays with the gateway while its requests are plain, also if head and body arrive apart", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    for (let sent = 0; sent < 3; sent += 1) {
      await client.sendApart(chatHead());
      await client.sendApart(CHAT_BODY.slice(0, 10));
      client.send(CHAT_BODY.slice(10));
      expect((await client.answer(sent)).status).toBe(200);
      expect(isPlain(edge)).toBe(true);
    }
    expect(edge.records).toHaveLength(3);
    client.close();
  });

  test.for([
    ["a head in two writes", chatRequest().slice(0, 40), chatRequest().slice(40), 200],
    ["another path", `GET /health HTTP/1.1\r\nhost: a\r\n\r\n`, "", 404],
    ["a header that must be refused", chatRequest({ headers: ["a_b: c"] }), "", 400],
    [
      "a chunked body",
      chatHead({ framing: ["transfer-encoding: chunked"] }),
      `${CHAT_BODY.length.toString(16)}\r\n${CHAT_BODY}\r\n0\r\n\r\n`,
      200,
    ],
  ] as const)("is handed to Node with all its bytes: %s", async ([, first, second, status]) => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    await client.sendApart(first);
    client.send(second);
    expect((await client.answer(0)).status).toBe(status);
    client.close();
  });

  test("is handed to Node after plain requests, and the next requests are served, too", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest());
    expect((await client.answer(0)).status).toBe(200);
    client.send("GET /health HTTP/1.1\r\nhost: a\r\n\r\n");
    expect((await client.answer(1)).status).toBe(404);
    expect(isPlain(edge)).toBe(false);
    client.send(chatRequest());
    expect((await client.answer(2)).status).toBe(200);
    client.close();
  });

  test("answers pipelined requests in order", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(["a", "b", "c", "d"].map((callId) => chatRequest({ callId })).join(""));
    for (const [index, callId] of ["a", "b", "c", "d"].entries()) {
      expect((await client.answer(index)).headers.get("x-gw-call-id")).toBe(callId);
    }
    client.close();
  });

  test("checks a repeated head again when the allowed hosts have changed", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    for (let sent = 0; sent < 3; sent += 1) {
      client.send(chatRequest());
      expect((await client.answer(sent)).status).toBe(200);
    }
    edge.allowHosts(["another.test"]);
    client.send(chatRequest());
    expect((await client.answer(3)).status).toBe(421);
    client.close();
  });

  test("discards the rest of a refused body, and serves the next request", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ key: "sk-unknown" }));
    expect((await client.answer(0)).status).toBe(401);
    client.send(CHAT_BODY + chatRequest());
    expect((await client.answer(1)).status).toBe(200);
    client.close();
  });

  test("reads a large refused body for a moment longer, so that its client gets the response", async () => {
    await using edge = await startEdge({
      // The gateway stops reading a body whose caller is unknown.
      beforeKeyLookup: () => waitFor("the pause", () => only(edge).socket.isPaused()).then(() => {}),
    });
    const client = await RawClient.connect(edge.port);
    const body = Buffer.alloc(16 * 1024 * 1024, "a");
    const sent = client.sendApart(chatHead({ key: "sk-unknown", framing: [`content-length: ${body.length}`] }) + body);
    expect((await client.answer(0)).status).toBe(401);
    await sent;
    expect(client.errors).toEqual([]);
    client.close();
  });

  test("is closed if no request arrives in time", async () => {
    await using edge = await startEdge({ timeouts: { headersMs: 100, requestMs: 60_000 } });
    const client = await RawClient.connect(edge.port);
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([408]);
  });

  test("is closed if a body does not arrive in time", async () => {
    await using edge = await startEdge({ timeouts: { headersMs: 100, requestMs: 100 } });
    const client = await RawClient.connect(edge.port);
    client.send(chatHead());
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([408]);
    expect(edge.records).toEqual([]);
  });

  test.for([
    ["no request", ""],
    ["no body", chatHead()],
  ] as const)("is left to its client for a moment after a refusal because of the time limit: %s", async ([, sent]) => {
    const timeouts = { headersMs: 100, requestMs: 100 };
    await using edge = await startEdge({ timeouts, isClockStopped: true });
    const client = await RawClient.connect(edge.port, { allowHalfOpen: true });
    const connection = await waitFor("the connection", () => only(edge));
    const errors: Error[] = [];
    connection.socket.on("error", (error) => errors.push(error));
    await client.sendApart(sent);
    await waitFor("the request", () => edge.http.liveCalls === (sent === "" ? 0 : 1));
    edge.advance(101);
    expect((await client.answer(0)).status).toBe(408);
    connection.plain?.check(performance.now() + 60_000);
    expect(connection.socket.destroyed).toBe(false);
    edge.advance(2_001);
    await waitFor("the end", () => edge.http.connections.size === 0);
    expect(errors).toEqual([]);
    client.close();
  });

  test("counts as closed when its client disconnects, and leaves nothing behind", async () => {
    await using edge = await startEdge();
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(edge.port)));
    for (const client of clients) client.send(chatHead());
    await waitFor("all requests", () => edge.http.liveCalls === 20);
    for (const [index, client] of clients.entries()) index % 2 === 0 ? client.reset() : client.close();
    await waitFor("all to be gone", () => edge.http.connections.size === 0 && edge.http.liveCalls === 0);
    const count = await new Promise((resolve) => edge.http.server.getConnections((_error, open) => resolve(open)));
    expect(count).toBe(0);
    expect(edge.unexpected).toEqual([]);
  });

  test("works over TLS", async () => {
    const authority = new CertificateAuthority();
    onTestFinished(() => authority.close());
    const { certificate, key } = authority.issue("127.0.0.1");
    await using edge = await startEdge({ tls: { certificate, key: new Secret(key) } });
    const socket = connect({ port: edge.port, host: "127.0.0.1", rejectUnauthorized: false });
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
    });
    await once(socket, "secureConnect");
    for (let sent = 1; sent <= 3; sent += 1) {
      socket.write(chatRequest());
      await waitFor(
        "the answer",
        () => received.split("HTTP/1.1 200 OK").length === sent + 1 && received.endsWith("}"),
      );
      expect(isPlain(edge)).toBe(true);
    }
    socket.write("GET /health HTTP/1.1\r\nhost: a\r\n\r\n");
    await waitFor("the other answer", () => received.includes("HTTP/1.1 404"));
    expect(isPlain(edge)).toBe(false);
    socket.destroy();
  });
});
