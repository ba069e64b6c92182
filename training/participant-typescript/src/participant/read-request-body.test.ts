import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sendFailure } from "./answer.ts";
import { type Patience, readRequestBody } from "./read-request-body.ts";

/** Starts a server that reads bodies with these limits, and opens a connection that has sent the request head. */
async function openRequest(patience: Patience): Promise<Socket> {
  const server = createServer(async (request, response) => {
    const stalled = (failure: Parameters<typeof sendFailure>[2]): void => {
      sendFailure(request, response, failure);
      response.end();
    };
    try {
      let length = 0;
      for await (const piece of readRequestBody(request, undefined, stalled, patience)) length += piece.length;
      response.end(`read ${length}`);
    } catch {
      // The refusal closed the connection.
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST /train HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n");
  return socket;
}

const readAll = async (socket: Socket): Promise<string> =>
  Buffer.concat((await socket.toArray()) as Buffer[]).toString();

test("a sender that stalls gets an error and is disconnected", async () => {
  const socket = await openRequest({ silenceMs: 50, startMs: 60_000, bytesPerMs: 0 });
  socket.write("half of it");
  expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"the body stopped arriving"/);
});

test("a sender that is too slow is also disconnected", async () => {
  const socket = await openRequest({ silenceMs: 60_000, startMs: 50, bytesPerMs: 10 });
  const timer = setInterval(() => socket.write("x"), 5);
  socket.on("error", () => {});
  const [answer] = (await once(socket, "data")) as [Buffer];
  clearInterval(timer);
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
});

test("a body from a fast enough sender is read to the end", async () => {
  const socket = await openRequest({ silenceMs: 60_000, startMs: 0, bytesPerMs: 0.001 });
  socket.write("x".repeat(400));
  socket.write("x".repeat(600));
  expect(await readAll(socket)).toMatch(/read 1000/);
});
