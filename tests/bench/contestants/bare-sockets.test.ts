import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { expect, onTestFinished, test } from "vitest";
import { startBareSockets } from "./bare-sockets.ts";

const jsonAnswer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"a":"b"}';
const streamAnswer =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" +
  "9\r\ndata: 1\n\n\r\n14;part=2\r\ndata: 0\r\n\r\ndata: 2\n\n\r\n0\r\n\r\n";
const streamText = "data: 1\n\ndata: 0\r\n\r\ndata: 2\n\n";

/** Starts the proxy in front of an upstream that the test plays. */
async function start(serve: (socket: Socket) => void): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "bare-sockets-"));
  const upstream = createServer((socket) => serve(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const ports = { own: await findFreePort(), upstream: (upstream.address() as AddressInfo).port };
  const proxy = await startBareSockets(ports, directory);
  onTestFinished(async () => {
    await proxy.stop();
    upstream.close();
    rmSync(directory, { recursive: true });
  });
  return proxy.url;
}

function post(url: string, body = "{}"): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer a" },
    body,
  });
}

test("forwards the path, the body, and two headers, and reuses the upstream connection", async () => {
  const requests: string[] = [];
  let connections = 0;
  const url = await start((socket) => {
    connections += 1;
    socket.on("data", (data) => {
      requests.push(data.toString());
      socket.write(jsonAnswer);
    });
  });
  for (const _ of [1, 2]) expect(await (await post(`${url}/v1/chat`, '{"é":1}')).text()).toBe('{"a":"b"}');
  expect(connections).toBe(1);
  expect(requests[1]).toMatch(/^POST \/v1\/chat HTTP\/1\.1\r\n/);
  expect(requests[1]).toMatch(
    /content-type: application\/json\r\nauthorization: Bearer a\r\ncontent-length: 8\r\n\r\n/,
  );
  expect(requests[1]?.endsWith('{"é":1}')).toBe(true);
});

test.each([
  ["a JSON response", jsonAnswer, '{"a":"b"}'],
  ["a stream", streamAnswer, streamText],
])("%s arrives whole if the upstream sends it byte by byte", async (_, answer, text) => {
  const url = await start((socket) => {
    socket.setNoDelay(true).on("data", async () => {
      for (const byte of answer) {
        socket.write(byte);
        await pause(1);
      }
    });
  });
  for (const _ of [1, 2]) expect(await (await post(url)).text()).toBe(text);
});

test("serves requests that a client sends without waiting, in order", async () => {
  let answered = 0;
  const url = await start((socket) =>
    socket.on("data", () => {
      answered += 1;
      socket.write(jsonAnswer.replace("b", String(answered)));
    }),
  );
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const request = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}";
  client.write(request + request + request);
  let received = "";
  for await (const data of client) {
    received += data;
    if (received.includes('"3"')) break;
  }
  expect(received.match(/{"a":"\d"}/g)).toEqual(['{"a":"1"}', '{"a":"2"}', '{"a":"3"}']);
});

test("responds with 502 if the upstream closes the connection, and serves the next call", async () => {
  let calls = 0;
  const url = await start((socket) =>
    socket.on("data", () => {
      calls += 1;
      if (calls === 1) socket.destroy();
      else socket.write(jsonAnswer);
    }),
  );
  expect((await post(url)).status).toBe(502);
  expect((await post(url)).status).toBe(200);
});

test("a client that stops reading stops the upstream, and closes its connection when it leaves", async () => {
  const upstream = Promise.withResolvers<Socket>();
  const url = await start((socket) => socket.once("data", () => upstream.resolve(socket)));
  const client = connect(Number(new URL(url).port), "127.0.0.1").pause();
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
  const socket = await upstream.promise;
  socket.write("HTTP/1.1 200 OK\r\ncontent-type: a\r\ntransfer-encoding: chunked\r\n\r\n");
  const chunk = Buffer.from(`10000\r\n${"x".repeat(0x10000)}\r\n`);
  while (await writeAndDrain(socket, chunk, 300));
  const closed = new Promise<boolean>((resolve) => socket.once("close", () => resolve(true)));
  client.destroy();
  expect(await closed).toBe(true);
});

/** Writes to the socket and waits for it to drain. Returns false if the other side has stopped reading. */
async function writeAndDrain(socket: Socket, chunk: Buffer, patienceMs: number): Promise<boolean> {
  if (socket.write(chunk)) return true;
  try {
    await once(socket, "drain", { signal: AbortSignal.timeout(patienceMs) });
    return true;
  } catch {
    return false;
  }
}
