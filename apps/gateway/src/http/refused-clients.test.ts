import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, test } from "vitest";
import { startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatHead, chatRequest, RawClient } from "./raw-client.fixture.ts";

const nothingFits = { maxInFlight: 0, maxWaiting: 0 };

test("a refusal under load has the standard error format and a Retry-After header, and leaves the connection usable", async () => {
  await using edge = await startEdge({ gate: nothingFits });
  const client = await RawClient.connect(edge.port);
  for (const callId of ["first", "second"]) client.send(chatRequest({ callId, headers: ["origin: https://a.test"] }));
  for (const [index, callId] of ["first", "second"].entries()) {
    const { status, headers, body } = await client.answer(index);
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({
      error: {
        message: "This instance is at capacity. Try again shortly.",
        type: "server_error",
        param: null,
        code: "overloaded",
        doc_url: "http://gateway.test/docs/errors/codes/overloaded",
        request_id: callId,
      },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/json",
      "x-gw-call-id": callId,
      "x-gw-error-name": "ServiceUnavailableError",
      "x-gw-version": expect.any(String),
      "retry-after": expect.stringMatching(/^[12]$/),
      "retry-after-ms": expect.stringMatching(/^1\d{3}$/),
      "access-control-allow-origin": "*",
      connection: "keep-alive",
    });
  }
  expect(edge.http.liveCalls).toBe(0);
  expect(edge.records).toEqual([]);
  client.close();
});

test("a refusal is sent before the body arrives, and the body is discarded later", async () => {
  await using edge = await startEdge({ gate: nothingFits });
  const client = await RawClient.connect(edge.port);
  client.send(chatHead());
  expect((await client.answer(0)).status).toBe(503);
  client.send(CHAT_BODY + chatRequest());
  expect((await client.answer(1)).status).toBe(503);
  client.close();
});

test("clients that keep sending are throttled, and every request gets a response", async () => {
  await using edge = await startEdge({ gate: nothingFits });
  const count = 800;
  const clients = await Promise.all(Array.from({ length: count }, () => RawClient.connect(edge.port)));
  for (let round = 1; round <= 3; round += 1) {
    for (const client of clients) client.send(chatRequest());
    await waitFor("all to be refused", () => clients.every(({ answers }) => answers.length === round));
  }
  expect(edge.http.refusals.rests).toBeGreaterThan(100);
  await waitFor("everybody to be read again", () => edge.http.refusals.resting === 0);
  expect(clients.flatMap(({ answers }) => answers).every(({ status }) => status === 503)).toBe(true);
  for (const client of clients) client.close();
});

test("a client whose body is still arriving is throttled only after the body is complete", async () => {
  await using edge = await startEdge({ gate: nothingFits });
  const crowd = await Promise.all(Array.from({ length: 1_500 }, () => RawClient.connect(edge.port)));
  for (const client of crowd) client.send(chatHead());
  await waitFor("all to be refused", () => crowd.every(({ answers }) => answers.length === 1));
  expect(edge.http.refusals.rests).toBe(0);
  for (const client of crowd) client.send(CHAT_BODY);
  await waitFor("some to rest", () => edge.http.refusals.rests > 0);
  for (const client of crowd) client.send(chatRequest());
  await waitFor("all to be refused again", () => crowd.every(({ answers }) => answers.length === 2));
  for (const client of crowd) client.close();
});

test("proxies have no connection limit", async () => {
  await using edge = await startEdge({ connectionsPerAddress: 2, isProxy: (address) => address.endsWith("127.0.0.5") });
  const from = (localAddress: string) =>
    Promise.all(Array.from({ length: 5 }, () => RawClient.connect(edge.port, { localAddress })));
  const [proxy, client] = [await from("127.0.0.5"), await from("127.0.0.6")];
  await waitFor("three to be cut", () => client.filter(({ isClosed }) => isClosed).length === 3);
  expect(proxy.some(({ isClosed }) => isClosed)).toBe(false);
  for (const each of [...proxy, ...client]) each.close();
});

test("bytes sent over a throttled connection are not read until the throttle ends", async () => {
  await using edge = await startEdge({ gate: nothingFits });
  const sockets = () => [...edge.http.connections.all()].map(({ socket }) => socket);
  const crowd = await Promise.all(Array.from({ length: 2_000 }, () => RawClient.connect(edge.port)));
  for (const client of crowd) client.send(chatRequest());
  const restingOf = () => sockets().findLast((socket) => socket.isPaused());
  const resting = await waitFor("one to rest", restingOf);
  const bytesRead = resting.bytesRead;
  const client = crowd.find(({ socket }) => socket.localPort === resting.remotePort);
  client?.send(chatRequest());
  await waitFor("others to be read again", () => edge.http.refusals.resting < 1_000);
  if (resting.isPaused()) expect(resting.bytesRead).toBe(bytesRead);
  await waitFor("its turn", () => client?.answers.length === 2);
  expect(resting.bytesRead).toBeGreaterThan(bytesRead);
  for (const each of crowd) each.close();
});
